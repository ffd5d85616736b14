// Operations as tools for a model: name, description, schema of the input, and a function bound to one caller (SUR-11).
// Neutral of any framework; the caller is the host's, never part of what a model gives (SUR-31).
import { checkedCaller } from '../access/caller.ts';
import { oneNamed } from '../model/named.ts';
import type {
  Backstory,
  Caller,
  MemoryContext,
  MemoryTool,
  RecallToolResult,
  RememberToolResult,
  RetrievalResult,
  RunSearchParams,
} from './face.ts';
import { inputJsonSchema, type JsonSchema } from './json-schema.ts';
import { type ExecuteOptions, execute, type Operation, withoutLocal } from './operation.ts';
import { OPERATIONS, runsSearch } from './operations.ts';
import { readInput } from './parameters.ts';

export interface Tool {
  /** Matches `[a-zA-Z0-9_-]{1,64}`. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input, without references. */
  readonly inputSchema: JsonSchema;
  readonly readOnly: boolean;
  /** What a model reads in place of the result as JSON; such a tool has no schema of its result. */
  readonly textOf?: (result: unknown) => string;
  /** The operation's result. Throws what the operation throws, `invalid_argument` for a bad input. */
  execute(input?: unknown, options?: ExecuteOptions): Promise<unknown>;
}

/** What a model may be given (SUR-30): nothing that deletes, nothing for operators only. */
const TOOL_NAMES = ['sessions_search', 'sessions_history', 'sessions_list', 'sessions_describe', 'search'];

/** What is bound besides the caller where the tools are made: never a model's choice (COM-50, RUN-77). */
export interface Bound {
  /** `recall`, and `remember` where writes are on. */
  readonly memory?: MemoryContext;
  /** `runs_search` in this run, whose folder, agent, episode and conversation are fixed. */
  readonly run?: Omit<RunSearchParams, 'query' | 'topK'>;
}

/** All tools that a server offers to what is bound to it (SUR-30). */
export function boundTools(backstory: Backstory, caller: Caller, { memory, run }: Bound): Tool[] {
  const own = toolsOf(backstory, caller).map((tool) =>
    memory === undefined || tool.name !== 'search' ? tool : withMemory(tool, memory),
  );
  const asked = run === undefined ? [] : [runTool(backstory, run)];
  return [...own, ...asked, ...(memory?.namespace === undefined ? [] : memoryTools(memory))];
}

function withMemory(tool: Tool, memory: MemoryContext): Tool {
  return { ...tool, execute: (input, options = {}) => tool.execute(input, { ...options, memory }) };
}

function memoryTools(memory: MemoryContext): Tool[] {
  const { recall, remember } = memory.tools();
  const text = (result: unknown): string => String((result as { text?: unknown }).text);
  const toolFrom = (tool: MemoryTool<RecallToolResult | RememberToolResult>, readOnly: boolean): Tool => ({
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema,
    readOnly,
    textOf: text,
    execute: (input = {}) => tool.execute(input),
  });
  return [toolFrom(recall, true), ...(remember === undefined ? [] : [toolFrom(remember, false)])];
}

// The model gives words and how many pieces; anything else would be isolation of its own choice (RUN-77).
function runTool(backstory: Backstory, run: NonNullable<Bound['run']>): Tool {
  const { query, topK } = runsSearch.parameters;
  const parameters = { query: query!, topK: topK! };
  return {
    name: runsSearch.name,
    description: `${runsSearch.summary} Finds notes, log and history records of this run, by any of the words.`,
    inputSchema: inputJsonSchema({ ...runsSearch, parameters } as unknown as Operation, false),
    readOnly: true,
    async execute(input = {}, options = {}) {
      const read = readInput(runsSearch.name, parameters, input, false) as { query: string; topK?: number };
      const aborts = options.signal === undefined ? {} : { signal: options.signal };
      const result = await backstory.runs.search({ ...run, ...read }, { ...aborts, anyFolder: true });
      return withinBytes(result);
    },
  };
}

// Pieces are dropped whole from the end (COM-2).
function withinBytes(result: RetrievalResult): RetrievalResult {
  let room = MAX_RUN_BYTES - Buffer.byteLength(JSON.stringify({ ...result, evidence: [] }));
  const evidence = result.evidence.filter((piece) => {
    room -= Buffer.byteLength(JSON.stringify(piece)) + 1;
    return room >= 0;
  });
  if (evidence.length === result.evidence.length) return result;
  return { evidence, coverage: { ...result.coverage, truncated: 'bytes' } };
}

const MAX_RUN_BYTES = 32_768;

/** Tools of these names, bound to a caller; without names, all of them. Throws `invalid_argument` for an unknown name. */
export function toolsOf(backstory: Backstory, caller: Caller, names?: readonly string[]): Tool[] {
  checkedCaller(caller);
  const offered = OPERATIONS.filter(({ name }) => TOOL_NAMES.includes(name));
  const chosen = names?.map((name) => oneNamed('tool', offered, name));
  return (chosen ?? offered).map((operation) => toolOf(backstory, caller, operation));
}

function toolOf(backstory: Backstory, caller: Caller, whole: Operation): Tool {
  const operation = withoutLocal(whole);
  return {
    name: operation.name,
    description: `${operation.summary} ${operation.description}`,
    inputSchema: inputJsonSchema(operation, caller.operator === true),
    readOnly: operation.readOnly,
    execute: (input = {}, options = {}) => execute(operation, backstory, caller, input, options),
  };
}
