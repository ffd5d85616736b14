// backstory search --everything: transcripts, episodes and files of a run in one list, labelled by kind (SUR-60).
import type { EverythingResult } from '../../api/face.ts';
import { execute } from '../../api/operation.ts';
import { search } from '../../api/operations.ts';
import { BackstoryError } from '../../model/errors.ts';
import { answer, exitOf, hint } from '../answer.ts';
import { firstRunLines } from '../first-run.ts';
import type { Io } from '../io.ts';
import { keepList } from '../last-list.ts';
import type { Parsed } from '../parse.ts';
import { renderEverything } from '../render/everything.ts';
import { renderCoverage } from '../render/hits.ts';
import { unreadOf } from '../unread.ts';
import type { Opened } from '../with-engine.ts';
import { contextFrom, namedContext } from './memory-scope.ts';
import { runFrom } from './run-scope.ts';

const TAKEN = ['query', 'agents', 'since', 'until', 'limit', 'waitMs'];

const NO_EPISODES =
  'Episodes were not searched: their namespace needs more than is known here: give --route R, or --namespace NS.';

export async function searchEverything(io: Io, parsed: Parsed, opened: Opened, waitMs: number): Promise<number> {
  const { backstory, caller, home, look } = opened;
  const given = parsed.input();
  const other = Object.keys(given).find((name) => !TAKEN.includes(name));
  if (other !== undefined) {
    throw new BackstoryError(
      'invalid_argument',
      `--${parsed.command.flags.find(({ parameter }) => parameter === other)?.name ?? other} does not go with --everything.`,
      'It takes --agent, --since, --until, --limit, a run and a memory; leave --everything out for the rest.',
    );
  }
  const whose = 'memory-agent';
  const memory = (await namedContext(parsed, backstory, whose)) ?? (await contextFrom(parsed, backstory, whose));
  const run = runFrom(io, parsed);
  const input = { waitMs, ...given, ...(run === undefined ? {} : { run }), query: parsed.operands.join(' ') };
  const options = { memory, anyRunFolder: true } as const;
  const result: EverythingResult = await execute(search, backstory, caller, input, options);
  keepList(
    home,
    result.results.flatMap((found) => (found.kind === 'session' ? [found.hit] : [])),
  );
  answer(io, parsed, result, () => renderEverything(result, look));
  const unread = unreadOf(result.results.length, result.coverage.skipped, home);
  if (!parsed.has('json')) {
    if (result.results.length === 0) {
      hint(io, unread?.lines ?? (await firstRunLines(opened)) ?? ['Nothing found.']);
    }
    hint(io, renderCoverage({ coverage: result.coverage }, look));
    if (memory.namespace === undefined) hint(io, [NO_EPISODES]);
  }
  return unread?.exit ?? exitOf(parsed, result.results.length > 0, result.coverage);
}
