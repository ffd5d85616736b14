// What an operation is, and the one way to run it. Every surface calls operations through here, so that input, rights and
// errors are the same everywhere (SUR-1 … SUR-4). Knows no surface.
import { BackstoryError } from '../model/errors.ts';
import type { Backstory, Caller, MemoryContext } from './face.ts';
import { type Parameter, type ParameterTable, readInput } from './parameters.ts';

export interface Example {
  readonly title: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What a surface may pass besides the input: none of it can come from a model. */
export interface ExecuteOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** The memory context that the host, the server's flags or the command line fixed (COM-50). */
  readonly memory?: MemoryContext;
  /** The command line may name any run folder; others only those below `runs.folders` (RUN-77). */
  readonly anyRunFolder?: true;
  /** Takes what an operation streams, in order; it waits for the promise (SUR-72). */
  readonly output?: (text: string) => void | Promise<void>;
}

export interface Progress {
  readonly source: string;
  readonly filesDone: number;
  readonly filesTotal: number;
  readonly bytesDone: number;
  readonly bytesTotal: number;
}

export interface Operation<Input extends object = object, Result = unknown> {
  readonly name: string;
  /** One line. */
  readonly summary: string;
  /** What a caller must know to use it well, for tool definitions and the reference page. */
  readonly description: string;
  /** `anyone`: within its scope. `operator`: COM-50. */
  readonly who: 'anyone' | 'operator';
  readonly readOnly: boolean;
  /** Names files of the machine it runs on: of the library and the command line, and no address of the server's. */
  readonly local?: true;
  /** Where the rules stand. */
  readonly spec: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly examples: readonly Example[];
  run(backstory: Backstory, caller: Caller, input: Input, options: ExecuteOptions): Promise<Result>;
}

/** Declares an operation; its table must name every field of the input. */
export function defineOperation<Input extends object, Result>(
  operation: Operation<Input, Result> & { readonly parameters: ParameterTable<Input> },
): Operation<Input, Result> {
  return operation;
}

/** The operation as a server, or a tool of a model, offers it: without what only the library and the command line have. */
export function withoutLocal(operation: Operation): Operation {
  const parameters = Object.entries(operation.parameters).filter(([, { local }]) => !local);
  return { ...operation, parameters: Object.fromEntries(parameters) };
}

/**
 * Runs an operation for a caller. Throws `operator_required` (COM-50), `invalid_argument` (SUR-2), and what the
 * operation itself throws.
 */
export async function execute<Result>(
  operation: Operation<never, Result> | Operation<object, Result>,
  backstory: Backstory,
  caller: Caller,
  input: unknown = {},
  options: ExecuteOptions = {},
): Promise<Result> {
  const isOperator = caller.operator === true;
  if (operation.who === 'operator' && !isOperator) {
    throw new BackstoryError(
      'operator_required',
      `${operation.name} is for operators.`,
      'Call it as an operator: on the command line, or with the operator token.',
    );
  }
  const read = readInput(operation.name, operation.parameters, input, isOperator);
  return operation.run(backstory, caller, read as never, options);
}
