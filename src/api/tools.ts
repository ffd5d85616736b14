// Operations as tools for a model: name, description, schema of the input, and a function bound to one caller (SUR-11).
// Neutral of any framework; the caller is the host's, never part of what a model gives (SUR-31).
import { checkedCaller } from '../access/caller.ts';
import { BackstoryError, nearest } from '../model/errors.ts';
import type { Backstory, Caller } from './face.ts';
import { inputJsonSchema, type JsonSchema } from './json-schema.ts';
import { type ExecuteOptions, execute, type Operation } from './operation.ts';
import { OPERATIONS } from './operations.ts';

export interface Tool {
  /** Matches `[a-zA-Z0-9_-]{1,64}`. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input, without references. */
  readonly inputSchema: JsonSchema;
  readonly readOnly: boolean;
  /** The operation's result. Throws what the operation throws, `invalid_argument` for a bad input. */
  execute(input?: unknown, options?: ExecuteOptions): Promise<unknown>;
}

/** What a model may be given (SUR-30): nothing that deletes, nothing for operators only. */
const TOOL_NAMES = ['sessions_search', 'sessions_history', 'sessions_list', 'sessions_describe', 'search'];

/** Tools of these names, bound to a caller; without names, all of them. Throws `invalid_argument` for an unknown name. */
export function toolsOf(backstory: Backstory, caller: Caller, names?: readonly string[]): Tool[] {
  checkedCaller(caller);
  const offered = OPERATIONS.filter(({ name }) => TOOL_NAMES.includes(name));
  const chosen = names?.map((name) => offered.find((operation) => operation.name === name) ?? unknown(name, offered));
  return (chosen ?? offered).map((operation) => toolOf(backstory, caller, operation));
}

function toolOf(backstory: Backstory, caller: Caller, operation: Operation): Tool {
  return {
    name: operation.name,
    description: `${operation.summary} ${operation.description}`,
    inputSchema: inputJsonSchema(operation, caller.operator === true),
    readOnly: operation.readOnly,
    execute: (input = {}, options = {}) => execute(operation, backstory, caller, input, options),
  };
}

function unknown(name: string, offered: readonly Operation[]): never {
  const names = offered.map((operation) => operation.name);
  const near = nearest(name, names);
  throw new BackstoryError(
    'invalid_argument',
    `There is no tool ${JSON.stringify(name.slice(0, 80))}${near === undefined ? '.' : `: did you mean ${near}?`}`,
    `The tools are: ${names.join(', ')}.`,
  );
}
