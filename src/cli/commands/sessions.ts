// backstory sessions: the list, newest activity first (SES-130).
import { execute } from '../../api/operation.ts';
import { sessionsList } from '../../api/operations.ts';
import { answer, exitOf, hint, hintMore } from '../answer.ts';
import type { Run } from '../command.ts';
import { inputFrom } from '../input.ts';
import { keepList } from '../last-list.ts';
import { renderSessions } from '../render/sessions.ts';
import { counted } from '../render/time.ts';
import { syncQuietly } from '../sync-first.ts';
import { unreadOf } from '../unread.ts';
import { withEngine } from '../with-engine.ts';

export const run: Run = (io, parsed) =>
  withEngine(io, parsed, async (opened) => {
    const { backstory, caller, home, look } = opened;
    await syncQuietly(parsed, opened, io);
    const result = await execute(sessionsList, backstory, caller, inputFrom(io, parsed));
    keepList(
      home,
      result.sessions.map(({ sessionKey }) => ({ sessionKey })),
    );
    answer(io, parsed, result, () => renderSessions(result.sessions, look));
    const unread = unreadOf(result.sessions.length, result.coverage.skipped, home);
    if (!parsed.has('json')) {
      if (result.sessions.length === 0) {
        const { firstRunLines } = await import('../first-run.ts');
        hint(io, unread?.lines ?? (await firstRunLines(opened)) ?? ['No session matches.']);
      }
      hintMore(io, counted(result.sessions.length, 'session'), result.coverage);
    }
    return unread?.exit ?? exitOf(parsed, result.sessions.length > 0, result.coverage);
  });
