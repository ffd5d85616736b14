// backstory mcp: tools over standard input and output until the client ends (SUR-30, SUR-31).
import { type Caller, checkedCaller } from '../../access/caller.ts';
import { toolsOf } from '../../api/tools.ts';
import { EXIT } from '../answer.ts';
import type { Run } from '../command.ts';
import type { Parsed } from '../parse.ts';
import { version } from '../version.ts';
import { withEngine } from '../with-engine.ts';

export const run: Run = (io, parsed) => {
  const caller = callerOf(parsed);
  return withEngine(
    io,
    parsed,
    async ({ backstory }) => {
      const { serveOverStdio } = await import('../../mcp/stdio.ts');
      // Standard output is the protocol's alone; what went wrong within goes to standard error.
      const onFault = (error: unknown): void =>
        io.err(`backstory: ${error instanceof Error ? error.message.slice(0, 300) : 'unknown'}\n`);
      await serveOverStdio(toolsOf(backstory, caller), { version: version(), onFault });
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
