// The query string of a GET as the input of an operation: lists by commas or repetition, booleans and numbers as words,
// objects as JSON.
import type { Operation } from '../api/operation.ts';
import { BackstoryError } from '../model/errors.ts';

/** Unknown names and bad values are left for the operation to refuse. Throws `invalid_argument` for a value given twice. */
export function inputOfQuery(operation: Operation, query: URLSearchParams): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const name of new Set(query.keys())) {
    const values = query.getAll(name);
    const parameter = Object.hasOwn(operation.parameters, name) ? operation.parameters[name] : undefined;
    if (parameter?.type === 'choices' || parameter?.type === 'texts') {
      input[name] = values.flatMap((value) => value.split(',')).filter((value) => value !== '');
      continue;
    }
    const [value] = values;
    if (values.length > 1) {
      throw new BackstoryError(
        'invalid_argument',
        `${name.slice(0, 80)} was given ${values.length} times.`,
        'Give it once.',
      );
    }
    if (parameter?.type === 'boolean') input[name] = value === 'true' ? true : value === 'false' ? false : value;
    else if (parameter !== undefined && JSON_TYPES.includes(parameter.type)) input[name] = parsed(value!);
    else input[name] = value;
  }
  return input;
}

const JSON_TYPES: readonly string[] = ['data', 'dataList', 'objects'];

function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
