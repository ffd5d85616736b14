// What a value of a setting may be, and in which words that is said (COM-42). A check gives the value or throws.
import { BackstoryError, nearest } from '../model/errors.ts';
import { resolveTime } from '../model/time.ts';

/** Gives the value as the program uses it. `path` is the setting's, for the error. */
export interface Check {
  /** For people: what is allowed. */
  readonly allowed: string;
  read(value: unknown, path: string): unknown;
}

export const text: Check = {
  allowed: 'a text that is not blank',
  read(value, path) {
    if (typeof value !== 'string' || value.trim() === '') throw invalid(path, value, text.allowed);
    return value;
  },
};

export const flag: Check = {
  allowed: 'true or false',
  read(value, path) {
    // Flags and variables are text.
    if (value === 'true' || value === true) return true;
    if (value === 'false' || value === false) return false;
    throw invalid(path, value, flag.allowed);
  },
};

export const timeZone: Check = {
  allowed: 'an IANA name such as Europe/Berlin, or UTC',
  read(value, path) {
    // Offsets such as +02:00 are no zones: they know no clock changes.
    if (typeof value !== 'string' || !/^[A-Za-z]/.test(value)) throw invalid(path, value, timeZone.allowed);
    // The default is known to be one: asking costs 20 ms of a command's start.
    if (value === 'UTC') return value;
    try {
      new Intl.DateTimeFormat('en-US', { timeZone: value });
    } catch {
      throw invalid(path, value, timeZone.allowed, nearest(value, Intl.supportedValuesOf('timeZone')));
    }
    return value;
  },
};

export function integer(least: number, most: number): Check {
  const allowed = `a whole number from ${least} to ${most}`;
  return {
    allowed,
    read(value, path) {
      const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
      const fits = typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most;
      if (!fits) throw invalid(path, value, allowed);
      return number;
    },
  };
}

/** A number with fractions. */
export function number(least: number, most: number): Check {
  const allowed = `a number from ${least} to ${most}`;
  return {
    allowed,
    read(value, path) {
      const read = typeof value === 'string' && /^\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value;
      if (typeof read !== 'number' || !(read >= least && read <= most)) throw invalid(path, value, allowed);
      return read;
    },
  };
}

/** What the check allows, or null. */
export function orNull(check: Check): Check {
  const allowed = `${check.allowed}, or null`;
  return {
    allowed,
    read(value, path) {
      if (value === null) return null;
      try {
        return check.read(value, path);
      } catch {
        throw invalid(path, value, allowed);
      }
    },
  };
}

/** Code: only in the library and in config files that are code. */
export const func: Check = {
  allowed: 'a function',
  read(value, path) {
    if (value !== undefined && typeof value !== 'function') throw invalid(path, value, func.allowed);
    return value;
  },
};

export function oneOf(...words: readonly string[]): Check {
  const allowed = words.map((word) => JSON.stringify(word)).join(' or ');
  return {
    allowed,
    read(value, path) {
      if (typeof value === 'string' && words.includes(value)) return value;
      throw invalid(path, value, allowed, typeof value === 'string' ? nearest(value, words) : undefined);
    },
  };
}

export function listOf(item: Check): Check {
  const allowed = `a list, each ${item.allowed}`;
  return {
    allowed,
    read(value, path) {
      if (!Array.isArray(value)) throw invalid(path, value, allowed);
      return value.map((each, index) => item.read(each, `${path}[${index}]`));
    },
  };
}

/** Any keys; each value is checked. */
export function mapOf(item: Check): Check {
  const allowed = `an object, each value ${item.allowed}`;
  return {
    allowed,
    read(value, path) {
      const entries = Object.entries(plainObject(value, path, allowed));
      return Object.fromEntries(
        entries.map(([key, each]) => [key, item.read(each, `${path}[${JSON.stringify(key)}]`)]),
      );
    },
  };
}

/** Fixed keys, of which `required` must be there. */
export function recordOf(fields: Readonly<Record<string, Check>>, required: readonly string[]): Check {
  const names = Object.keys(fields);
  const allowed = `an object with ${names.map((name) => (required.includes(name) ? name : `${name}?`)).join(', ')}`;
  return {
    allowed,
    read(value, path) {
      const entries = Object.entries(plainObject(value, path, allowed)).filter(([, each]) => each !== undefined);
      for (const [key] of entries) if (!Object.hasOwn(fields, key)) throw unknownKey(path, key, names);
      const missing = required.find((name) => !entries.some(([key]) => key === name));
      if (missing !== undefined || entries.length === 0) throw invalid(path, value, allowed);
      return Object.fromEntries(entries.map(([key, each]) => [key, fields[key]!.read(each, `${path}.${key}`)]));
    },
  };
}

export const time: Check = {
  allowed: 'a time expression such as 2026-08-11 or -30d',
  read(value, path) {
    try {
      if (typeof value === 'string' && Number.isFinite(resolveTime(value, path, { now: 0, timeZone: 'UTC' })))
        return value;
    } catch {
      // Said below in the words of a setting.
    }
    throw invalid(path, value, time.allowed);
  },
};

/** A reader given as code: an object with a name and the functions of the contract (SRC-6). */
export const reader: Check = {
  allowed: 'a reader: an object with a name and the functions discover, plan, read and reopen',
  read(value, path) {
    const given = value as Record<string, unknown> | null | undefined;
    const functions = ['discover', 'plan', 'read', 'reopen'].every((name) => typeof given?.[name] === 'function');
    if (typeof given?.name !== 'string' || given.name === '' || !functions) throw invalid(path, value, reader.allowed);
    return value;
  },
};

export function plainObject(value: unknown, path: string, allowed: string): Record<string, unknown> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw invalid(path, value, allowed);
  return value as Record<string, unknown>;
}

export function unknownKey(path: string, key: string, known: readonly string[]): BackstoryError {
  const full = path === '' ? key : `${path}.${key}`;
  const near = nearest(key, known);
  return new BackstoryError(
    'config_invalid',
    `There is no setting ${JSON.stringify(full)}.`,
    `${near === undefined ? '' : `Did you mean ${JSON.stringify(path === '' ? near : `${path}.${near}`)}? `}Known here: ${known.join(', ')}.`,
    { details: { path: full, known, ...(near === undefined ? {} : { nearest: near }) } },
  );
}

export function invalid(path: string, value: unknown, allowed: string, near?: string): BackstoryError {
  return new BackstoryError(
    'config_invalid',
    `Setting ${path} is ${shown(value)}; allowed is ${allowed}.`,
    near === undefined
      ? `Give ${path} a value that is allowed, or leave it out.`
      : `Did you mean ${JSON.stringify(near)}?`,
    { details: { path, value: shown(value), allowed, ...(near === undefined ? {} : { nearest: near }) } },
  );
}

function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  let written: string;
  try {
    written = typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value) ?? String(value));
  } catch {
    written = 'an object with cycles';
  }
  return written.length <= 120 ? written : `${written.slice(0, 119)}…`;
}
