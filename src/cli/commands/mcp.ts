// backstory mcp: tools over standard input and output until the client ends (SUR-30, SUR-31).
import { resolve } from 'node:path';
import { type Caller, checkedCaller } from '../../access/caller.ts';
import type { Backstory, MemoryContext } from '../../api/face.ts';
import { integerOf } from '../../api/parameters.ts';
import { type Bound, boundTools } from '../../api/tools.ts';
import { BackstoryError } from '../../model/errors.ts';
import { EXIT } from '../answer.ts';
import type { Run } from '../command.ts';
import { DIMENSIONS } from '../commands-memory.ts';
import { folderOf } from '../input.ts';
import type { Io } from '../io.ts';
import type { Parsed } from '../parse.ts';
import { version } from '../version.ts';
import { withEngine } from '../with-engine.ts';
import { contextFrom } from './memory-scope.ts';

export const run: Run = (io, parsed) => {
  const caller = callerOf(parsed);
  const asked = runOf(io, parsed);
  return withEngine(
    io,
    parsed,
    async ({ backstory }) => {
      const { serveOverStdio } = await import('../../mcp/stdio.ts');
      const memory = await memoryOf(parsed, backstory);
      const bound: Bound = { ...(memory ? { memory } : {}), ...(asked ? { run: asked } : {}) };
      // Standard output is the protocol's alone; what went wrong within goes to standard error.
      const onFault = (error: unknown): void =>
        io.err(`backstory: ${error instanceof Error ? error.message.slice(0, 300) : 'unknown'}\n`);
      await serveOverStdio(boundTools(backstory, caller, bound), { version: version(), onFault });
      return EXIT.done;
    },
    'by_setting',
  );
};

/** Exported for tests. Throws `caller_invalid`. */
export function callerOf(parsed: Parsed): Caller {
  const session = parsed.value('session');
  const person = parsed.value('person');
  return checkedCaller({
    agentId: parsed.value('agent') ?? 'main',
    ...(session === undefined ? {} : { sessionKey: session }),
    ...(person === undefined ? {} : { person }),
    ...(parsed.has('sandboxed') ? { sandboxed: true } : {}),
  });
}

// Only where the flags name one: a memory that was not asked for is none.
async function memoryOf(parsed: Parsed, backstory: Backstory): Promise<MemoryContext | undefined> {
  const named = ['namespace', ...DIMENSIONS.map(({ name }) => name)].some((name) => parsed.has(name));
  if (!named) return undefined;
  const memory = await contextFrom(parsed, backstory);
  if (memory.namespace !== undefined) return memory;
  throw new BackstoryError(
    'scope_unresolved',
    'The flags leave dimensions of the memory without a value.',
    'Give each of memory.scope, such as --route /support, or --namespace.',
  );
}

function runOf(io: Io, parsed: Parsed): Bound['run'] {
  const [folder, agent] = [parsed.value('run'), parsed.value('run-agent')];
  const [typed, conversation] = [parsed.value('episode'), parsed.value('conversation')];
  if (folder === undefined || agent === undefined) {
    const given = ['run', 'run-agent', 'episode', 'conversation'].find((name) => parsed.has(name));
    if (given === undefined) return undefined;
    throw new BackstoryError('invalid_argument', `--${given} needs --run and --run-agent.`, 'Give both.');
  }
  const episode = typed === undefined ? undefined : integerOf(typed);
  if (typed !== undefined && (episode === undefined || episode < 0)) {
    throw new BackstoryError(
      'invalid_argument',
      `--episode is ${JSON.stringify(typed.slice(0, 40))}, no number.`,
      'Give 0 or more.',
    );
  }
  return {
    folder: resolve(io.cwd, folderOf(io, folder)),
    agent,
    ...(episode === undefined ? {} : { episode }),
    ...(conversation === undefined ? {} : { conversation }),
  };
}
