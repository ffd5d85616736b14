// backstory search: sync what changed, then find (SUR-22, SUR-24).
import type { SearchResult } from '../../api/face.ts';
import { execute } from '../../api/operation.ts';
import { sessionsSearch } from '../../api/operations.ts';
import { BackstoryError } from '../../model/errors.ts';
import { parseQuery } from '../../text/index.ts';
import { answer, exitOf, hint, hintMore } from '../answer.ts';
import type { Run } from '../command.ts';
import { EVERYTHING } from '../commands-search.ts';
import { inputFrom } from '../input.ts';
import type { Io } from '../io.ts';
import { keepList } from '../last-list.ts';
import type { Parsed } from '../parse.ts';
import { renderCoverage, renderExplanation, renderHits } from '../render/hits.ts';
import { oneLine } from '../render/text.ts';
import { counted } from '../render/time.ts';
import { searchSyncs, syncFirst, waitMsFor } from '../sync-first.ts';
import { type Unread, unreadOf } from '../unread.ts';
import { type Opened, withEngine } from '../with-engine.ts';

export const run: Run = (io, parsed) =>
  withEngine(io, parsed, (opened) => search(io, parsed, opened), searchSyncs(io, parsed));

async function search(io: Io, parsed: Parsed, opened: Opened): Promise<number> {
  const { backstory, caller, home, look } = opened;
  assertForEverything(parsed);
  const waitMs = waitMsFor(home);
  const left = await syncFirst(io, parsed, opened);
  if (parsed.has('everything')) {
    const { searchEverything } = await import('./search-everything.ts');
    return searchEverything(io, parsed, opened, waitMs);
  }
  const input = { waitMs, ...inputFrom(io, parsed), query: parsed.operands.join(' ') };
  const result = await execute(sessionsSearch, backstory, caller, input);
  keepList(home, result.hits);
  answer(io, parsed, result, () => renderHits(result.hits, look, parsed.has('explain') ? 'scores' : 'plain'));
  const { sessions, skipped } = result.coverage;
  const unread = unreadOf(sessions.searched, skipped, home);
  if (!parsed.has('json')) await say(io, parsed, opened, result, left, unread);
  if (unread !== undefined) return unread.exit;
  return exitOf(parsed, result.hits.length > 0, { complete: result.coverage.complete && left === 0 });
}

async function say(
  io: Io,
  parsed: Parsed,
  opened: Opened,
  result: SearchResult,
  left: number,
  unread: Unread | undefined,
): Promise<void> {
  const { look } = opened;
  if (parsed.has('explain')) hint(io, renderExplanation(result, look));
  if (result.hits.length === 0) {
    const { firstRunLines } = await import('../first-run.ts');
    hint(io, unread?.lines ?? (await firstRunLines(opened)) ?? ['Nothing found.']);
  }
  hint(io, renderCoverage(result, look));
  if (io.errIsTerminal && !parsed.has('regex')) hint(io, leftOut(parsed.operands.join(' ')));
  if (left > 0)
    hint(io, [`${counted(left, 'file')} not read yet, the time was up: search again, or backstory sync${look.again}.`]);
  hintMore(io, counted(result.hits.length, 'hit'), result.coverage);
}

function assertForEverything(parsed: Parsed): void {
  const given = parsed.has('everything') ? undefined : EVERYTHING.find(({ name }) => parsed.has(name));
  if (given === undefined) return;
  throw new BackstoryError(
    'invalid_argument',
    `--${given.name} is for a search of everything.`,
    'Add --everything, or leave it out.',
  );
}

// `-v` may have been meant as an option: what it did is said.
function leftOut(query: string): string[] {
  const { excluded } = parseQuery(query);
  const words = excluded.map(({ typed }) => oneLine(typed, 40));
  return words.length === 0 ? [] : [`Left out: messages with ${words.join(', with ')}.`];
}
