// What a parameter of an operation is, and how a caller's input is read by it (SUR-2, COM-2). Plain data and no zod: the
// command line reads its input here, and loading zod alone costs it 30 to 45 ms. json-schema.ts derives from this.
import { BackstoryError, nearest, shownValue } from '../model/errors.ts';

interface Described {
  /** One sentence for help, tool definitions and the reference pages. */
  readonly summary: string;
  readonly required?: true;
  /** As a person reads it; the operation itself applies it. */
  readonly standard?: string;
  /** Refused for callers that are no operators (COM-50). */
  readonly operatorOnly?: true;
  /** Of the library and the command line: no server and no tool of a model has it (SES-100). */
  readonly local?: true;
}

/** One parameter. Bounds are inclusive; `operatorMax` stands in place of `max` for the library and operators (COM-2). */
export type Parameter = Described &
  (
    | { readonly type: 'text'; readonly secret?: true }
    | { readonly type: 'time' }
    | { readonly type: 'integer'; readonly min: number; readonly max: number; readonly operatorMax?: number }
    | { readonly type: 'number'; readonly min: number; readonly max: number }
    | { readonly type: 'boolean' }
    /** Any JSON object; what it must hold is checked by the operation. */
    | { readonly type: 'data'; readonly secret?: true }
    | { readonly type: 'choice'; readonly of: readonly string[] }
    | { readonly type: 'choices'; readonly of: readonly string[] }
    | { readonly type: 'texts'; readonly maxItems: number }
    /** A list of objects that the operation itself checks. */
    | { readonly type: 'dataList' }
    | { readonly type: 'objects'; readonly maxItems: number; readonly fields: Readonly<Record<string, Parameter>> }
  );

/** A row for every field of an operation's input: a field without one does not compile. */
export type ParameterTable<Input extends object> = Readonly<Record<Extract<keyof Input, string>, Parameter>>;

/**
 * The input as the operation takes it. Throws `invalid_argument` that names the parameter, its value (never that of a
 * query) and what is allowed; for an unknown one the nearest. `operator_required` for what only operators may set.
 */
export function readInput(
  operation: string,
  table: Readonly<Record<string, Parameter>>,
  input: unknown,
  isOperator: boolean,
): Record<string, unknown> {
  if (!isPlainObject(input)) {
    throw invalid(`The input of ${operation} is ${kindOf(input)}, not an object of parameters.`, listing(table));
  }
  return readFields(operation, table, input, isOperator, '');
}

function readFields(
  operation: string,
  table: Readonly<Record<string, Parameter>>,
  input: Readonly<Record<string, unknown>>,
  isOperator: boolean,
  path: string,
): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    const parameter = Object.hasOwn(table, name) ? table[name] : undefined;
    if (parameter === undefined) throw unknownParameter(operation, table, path + name, name);
    if (value === undefined) continue;
    if (parameter.operatorOnly && !isOperator) {
      throw new BackstoryError(
        'operator_required',
        `${path}${name} of ${operation} is for operators.`,
        `Leave ${path}${name} out, or call as an operator.`,
      );
    }
    read[name] = readValue(operation, parameter, value, isOperator, path + name);
  }
  for (const [name, parameter] of Object.entries(table)) {
    if (parameter.required && read[name] === undefined) {
      throw invalid(`${operation} needs ${path}${name}.`, `${path}${name}: ${parameter.summary}`, {
        parameter: path + name,
      });
    }
  }
  return read;
}

function readValue(
  operation: string,
  parameter: Parameter,
  value: unknown,
  isOperator: boolean,
  name: string,
): unknown {
  const refuse = (): never => {
    const allowed = allowedOf(parameter, isOperator);
    const isSecret = parameter.type === 'dataList' || ('secret' in parameter && parameter.secret);
    const shown = isSecret ? kindOf(value) : quoted(asGiven(parameter, value));
    throw invalid(`${name} is ${shown}, and must be ${allowed}.`, `Give ${name} as ${allowed}.`, {
      parameter: name,
      allowed,
    });
  };
  switch (parameter.type) {
    case 'text':
    case 'time':
      return typeof value === 'string' ? value : refuse();
    case 'boolean':
      return typeof value === 'boolean' ? value : refuse();
    case 'integer': {
      const number = integerOf(value);
      const { min, max } = boundsOf(parameter, isOperator);
      return number !== undefined && number >= min && number <= max ? number : refuse();
    }
    case 'number': {
      const number = numberOf(value);
      return number !== undefined && number >= parameter.min && number <= parameter.max ? number : refuse();
    }
    case 'data':
      return isPlainObject(value) ? value : refuse();
    case 'choice':
      return typeof value === 'string' && parameter.of.includes(value) ? value : refuse();
    case 'choices':
      return isTexts(value) && value.every((one) => parameter.of.includes(one)) ? [...value] : refuse();
    case 'texts':
      return isTexts(value) && value.length <= parameter.maxItems ? [...value] : refuse();
    case 'dataList':
      return Array.isArray(value) && value.every(isPlainObject) ? value : refuse();
    case 'objects':
      if (!Array.isArray(value) || value.length > parameter.maxItems || !value.every(isPlainObject)) return refuse();
      return value.map((one, index) => readFields(operation, parameter.fields, one, isOperator, `${name}[${index}].`));
  }
}

/** What is allowed, as a person reads it: `an integer from 1 to 25`. */
export function allowedOf(parameter: Parameter, isOperator: boolean): string {
  switch (parameter.type) {
    case 'text':
      return 'a string';
    case 'time':
      return 'a time such as 2026-08-11, -7d or yesterday';
    case 'boolean':
      return 'true or false';
    case 'integer': {
      const { min, max } = boundsOf(parameter, isOperator);
      return `an integer from ${min} to ${max}`;
    }
    case 'number':
      return `a number from ${parameter.min} to ${parameter.max}`;
    case 'data':
      return 'an object';
    case 'choice':
      return `one of ${parameter.of.join(', ')}`;
    case 'choices':
      return `a list of ${parameter.of.join(', ')}`;
    case 'texts':
      return `a list of at most ${parameter.maxItems} strings`;
    case 'dataList':
      return 'a list of objects';
    case 'objects':
      return `a list of at most ${parameter.maxItems} objects with ${Object.keys(parameter.fields).join(', ')}`;
  }
}

export function boundsOf(
  parameter: Extract<Parameter, { type: 'integer' }>,
  isOperator: boolean,
): { readonly min: number; readonly max: number } {
  return { min: parameter.min, max: isOperator ? (parameter.operatorMax ?? parameter.max) : parameter.max };
}

/** A number, or a numeric string: models and query strings often give the latter (SUR-2). */
export function integerOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value.trim()) ? Number(value.trim()) : value;
  // A zero has no sign here: JSON loses it, and so do schemas.
  return typeof number === 'number' && Number.isSafeInteger(number) ? number + 0 : undefined;
}

function numberOf(value: unknown): number | undefined {
  const isNumeric = typeof value === 'string' && /^-?\d{1,16}(\.\d{1,16})?$/.test(value.trim());
  const number = isNumeric ? Number(value.trim()) : value;
  return typeof number === 'number' ? number + 0 : undefined;
}

function unknownParameter(
  operation: string,
  table: Readonly<Record<string, Parameter>>,
  path: string,
  name: string,
): BackstoryError {
  const near = nearest(name, Object.keys(table));
  return invalid(
    `${operation} has no parameter ${quoted(path)}${near === undefined ? '' : `: did you mean ${near}`}${near === undefined ? '.' : '?'}`,
    listing(table),
    { parameter: path.slice(0, 200), ...(near === undefined ? {} : { nearest: near }) },
  );
}

function listing(table: Readonly<Record<string, Parameter>>): string {
  const names = Object.keys(table);
  return names.length === 0 ? 'It takes no parameters.' : `Its parameters are: ${names.join(', ')}.`;
}

function invalid(message: string, hint: string, details?: Readonly<Record<string, unknown>>): BackstoryError {
  return new BackstoryError('invalid_argument', message, hint, details === undefined ? {} : { details });
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

// A number out of range is that number, also where a surface had to write it as text.
function asGiven(parameter: Parameter, value: unknown): unknown {
  if (parameter.type === 'integer') return integerOf(value) ?? value;
  return parameter.type === 'number' ? (numberOf(value) ?? value) : value;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return value === undefined ? 'missing' : `a value of type ${typeof value}`;
}

function quoted(value: unknown): string {
  return typeof value === 'function' ? kindOf(value) : shownValue(value, 80);
}
