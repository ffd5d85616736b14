// backstory mcp: tools over standard input and output until the client ends (SUR-30, SUR-31).
import { type Caller, checkedCaller } from '../../access/caller.ts';
import { type Bound, boundTools } from '../../api/tools.ts';
import { EXIT } from '../answer.ts';
import type { Run } from '../command.ts';
import type { Parsed } from '../parse.ts';
import { version } from '../version.ts';
import { withEngine } from '../with-engine.ts';
import { namedContext } from './memory-scope.ts';
import { runFrom } from './run-scope.ts';

export const run: Run = (io, parsed) => {
  const caller = callerOf(parsed);
  const asked = runFrom(io, parsed);
  return withEngine(
    io,
    parsed,
    async ({ backstory }) => {
      const { serveOverStdio } = await import('../../mcp/stdio.ts');
      // Only where the flags name one: a memory that was not asked for is none.
      const memory = await namedContext(parsed, backstory);
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
