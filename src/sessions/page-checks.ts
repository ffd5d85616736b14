// Plain checks of parameters, with the errors of COM-2. Schemas are the affair of api/.
import { BackstoryError, nearest, shownValue } from '../model/errors.ts';

export function invalidArgument(message: string, hint: string, details: Record<string, unknown>): BackstoryError {
  return new BackstoryError('invalid_argument', message, hint, { details });
}

/** What a call is given as its parameters: an object, whoever typed it (COM-2). */
export function checkObject(given: unknown, name = 'The parameters'): void {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return;
  const is = name === 'The parameters' ? 'are' : 'is';
  throw invalidArgument(
    `${name} ${is} ${kindOf(given)}, not an object.`,
    'Give an object of parameters by their names.',
    {
      parameter: name === 'The parameters' ? 'params' : name,
    },
  );
}

function kindOf(given: unknown): string {
  if (given === undefined) return 'missing';
  if (given === null) return 'null';
  return Array.isArray(given) ? 'a list' : `a value of type ${typeof given}`;
}

/** Names the unknown parameter and the nearest known one (SUR-2). */
export function checkNames(given: object, known: readonly string[]): void {
  checkObject(given);
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const near = nearest(name, known);
    throw invalidArgument(
      `There is no parameter ${JSON.stringify(name.slice(0, 80))}.`,
      near === undefined ? `Parameters are: ${known.join(', ')}.` : `Did you mean ${JSON.stringify(near)}?`,
      { parameter: name.slice(0, 80), ...(near === undefined ? {} : { nearest: near }) },
    );
  }
}

/** An integer within [low, high], nothing clamped (COM-2). */
export function checkInteger(name: string, value: unknown, low: number, high: number): void {
  if (value === undefined || (Number.isInteger(value) && Number(value) >= low && Number(value) <= high)) return;
  throw invalidArgument(
    `${name} is ${shown(value)}; it must be an integer of ${low}–${high}.`,
    `Give ${name} a value from ${low} to ${high}.`,
    { parameter: name, low, high },
  );
}

export function checkOneOf(name: string, value: unknown, allowed: readonly string[]): void {
  if (value === undefined || allowed.includes(value as string)) return;
  throw invalidArgument(`${name} is ${shown(value)}.`, `Give ${name} one of: ${allowed.join(', ')}.`, {
    parameter: name,
    allowed,
  });
}

export function checkListOf(name: string, value: unknown, allowed: readonly string[]): void {
  if (value === undefined) return;
  const bad = Array.isArray(value) ? value.find((item) => !allowed.includes(item)) : value;
  if (Array.isArray(value) && value.length > 0 && bad === undefined) return;
  throw invalidArgument(
    Array.isArray(value) && value.length === 0 ? `${name} is an empty list.` : `${name} has ${shown(bad)}.`,
    `Give ${name} a list of: ${allowed.join(', ')}.`,
    { parameter: name, allowed },
  );
}

export function checkText(name: string, value: unknown): void {
  if (value === undefined || (typeof value === 'string' && value !== '')) return;
  throw invalidArgument(`${name} is ${shown(value)}, not a text.`, `Give ${name} a text, or leave it out.`, {
    parameter: name,
  });
}

/** A list of texts, none of them empty. */
export function checkTexts(name: string, value: unknown, max: number): void {
  if (value === undefined) return;
  const fits = Array.isArray(value) && value.length > 0 && value.length <= max;
  if (fits && value.every((item) => typeof item === 'string' && item !== '')) return;
  const what = Array.isArray(value) ? `a list of ${value.length}` : shown(value);
  throw invalidArgument(`${name} is ${what}; it must be a list of 1–${max} texts.`, `Give ${name} 1 to ${max} texts.`, {
    parameter: name,
    low: 1,
    high: max,
  });
}

export function checkFlag(name: string, value: unknown): void {
  if (value === undefined || typeof value === 'boolean') return;
  throw invalidArgument(`${name} is ${shown(value)}, not true or false.`, `Give ${name} true or false.`, {
    parameter: name,
  });
}

function shown(value: unknown): string {
  return shownValue(value, 80);
}
