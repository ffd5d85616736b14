// backstory open: the conversation around a hit, or the newest end of a session (SUR-22).
import type { HistoryResult } from '../../api/face.ts';
import { execute } from '../../api/operation.ts';
import { sessionsHistory } from '../../api/operations.ts';
import { integerOf } from '../../api/parameters.ts';
import { BackstoryError } from '../../model/errors.ts';
import { answer, EXIT, hint } from '../answer.ts';
import type { Run } from '../command.ts';
import { type ListedItem, listedItem } from '../last-list.ts';
import type { Parsed } from '../parse.ts';
import { renderPage } from '../render/page.ts';
import { orAfterSync } from '../sync-first.ts';
import { withEngine } from '../with-engine.ts';

export const run: Run = (io, parsed) =>
  withEngine(io, parsed, async (opened) => {
    const { backstory, caller, home, look } = opened;
    const item = listedItem(home, parsed.operands[0]!);
    const input = inputOf(parsed, item);
    const page = await orAfterSync(parsed, opened, io, () => execute(sessionsHistory, backstory, caller, input));
    const beyond = parsed.has('json') ? undefined : placeBeyond(page, item.excerptFrom);
    const slice =
      beyond &&
      (await execute(sessionsHistory, backstory, caller, {
        ...beyond,
        session: item.sessionKey,
        maxBlockChars: SLICE,
      }));
    const text = slice?.entries[0]?.blocks[0]?.text;
    answer(io, parsed, page, () =>
      renderPage(page, look, beyond && text !== undefined ? { ...beyond, text } : undefined),
    );
    if (!parsed.has('json') && page.warning !== undefined) hint(io, [page.warning]);
    return page.anchor && !page.anchor.found ? EXIT.nothing : EXIT.done;
  });

// A hit deep in a long message: this much of it is shown besides the beginning, and this much before the words found.
const SLICE = 1_500;
const LEAD = 200;

/** The block and place to show of an anchor whose excerpt lies beyond what the page shows of it. */
function placeBeyond(
  { anchor, entries }: HistoryResult,
  excerptFrom = 0,
):
  | { readonly messageId: string; readonly sessionId: string; readonly block: number; readonly from: number }
  | undefined {
  const entry = anchor?.found ? entries[anchor.index ?? -1] : undefined;
  if (!entry) return undefined;
  let from = excerptFrom;
  for (const shown of entry.blocks) {
    if (shown.type !== 'text') continue;
    const cut = shown.cut && 'total' in shown.cut ? shown.cut : undefined;
    const total = cut?.total ?? shown.text?.length ?? 0;
    if (from <= total) {
      const isShown = cut?.next === undefined || from + LEAD < cut.shown;
      const { messageId, sessionId } = entry;
      return isShown ? undefined : { messageId, sessionId, block: cut.next.block, from: Math.max(0, from - LEAD) };
    }
    from -= total + 1;
  }
  return undefined;
}

/** Exported for tests: how a listed item and flags make the input of `sessions_history`. */
export function inputOf(parsed: Parsed, item: ListedItem): Record<string, unknown> {
  const flags = parsed.input();
  const around = parsed.value('around');
  if (around !== undefined && 'limit' in flags) {
    throw new BackstoryError('invalid_argument', '--around and --limit were given together.', 'Give one of them.');
  }
  const sides = around === undefined ? undefined : integerOf(around);
  if (around !== undefined && (sides === undefined || sides < 0 || sides > 499)) {
    throw new BackstoryError(
      'invalid_argument',
      `--around is ${JSON.stringify(around.slice(0, 80))}, and must be an integer from 0 to 499.`,
      'It is the number of entries on each side of the message.',
    );
  }
  // Pages beside the one of the hit are asked for by a message id: then the hit is no anchor (SES-106).
  const isAnchored = !['before', 'after', 'offset'].some((name) => name in flags);
  return {
    session: item.sessionKey,
    ...(isAnchored && item.messageId !== undefined && { messageId: item.messageId }),
    ...(isAnchored && item.sessionId !== undefined && { sessionId: item.sessionId }),
    ...(item.role === 'tool' && { includeTools: true }),
    ...(item.role === 'thinking' && { includeReasoning: true }),
    ...(sides !== undefined && { limit: 2 * sides + 1 }),
    ...flags,
  };
}
