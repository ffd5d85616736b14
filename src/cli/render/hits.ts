// Search hits for people: agent, project, time with zone and age, role, marked excerpt, how to reopen it (SUR-23).
import type { SearchHit, SearchResult } from '../../api/face.ts';
import type { Coverage } from '../../model/coverage.ts';
import type { Paint } from './paint.ts';
import { oneLine, partsOf, wrapMarked } from './text.ts';
import { count, counted, timeWithAge, type Zone } from './time.ts';

export interface Look {
  readonly paint: Paint;
  readonly zone: Zone;
  readonly now: number;
  readonly columns: number;
  /** Flags that a printed command must repeat, such as `--home DIR`. */
  readonly again: string;
}

export function renderHits(hits: readonly SearchHit[], look: Look, withScores: 'scores' | 'plain'): string {
  return hits.map((hit, index) => renderHit(hit, index + 1, look, withScores === 'scores')).join('\n');
}

export function renderHit(hit: SearchHit, number: number, look: Look, withScore: boolean): string {
  const { paint } = look;
  const indent = '    ';
  const facts = [
    paint.title(oneLine(hit.agentId, 64)),
    ...(hit.project === undefined ? [] : [oneLine(hit.project, 60)]),
    timeWithAge(hit.timestamp, look.zone, look.now),
    hit.role,
  ].join('  ');
  const lines = [`${paint.bold(String(number).padStart(3))} ${facts}`];
  if (hit.title !== undefined) lines.push(indent + paint.dim(oneLine(hit.title, look.columns - indent.length)));
  for (const line of wrapMarked(partsOf(hit.excerpt, hit.ranges), Math.max(20, look.columns - indent.length))) {
    const shown = line.map((part) => (part.marked ? paint.match(part.text) : part.text)).join('');
    lines.push(indent + shown);
  }
  const notes = notesOf(hit, withScore);
  if (notes.length > 0) lines.push(indent + paint.dim(notes.join(' · ')));
  lines.push(`${indent}${paint.dim(`backstory open ${number}${look.again} · ${oneLine(hit.sessionKey)}`)}`);
  return `${lines.join('\n')}\n`;
}

function notesOf(hit: SearchHit, withScore: boolean): string[] {
  const { matches } = hit;
  return [
    ...(matches ? [`${counted(matches.count, 'match')}${matches.exact ? '' : ' or more'} in this session`] : []),
    ...(hit.missing && hit.missing.length > 0
      ? [`without: ${hit.missing.map((word) => oneLine(word, 40)).join(', ')}`]
      : []),
    ...(hit.alsoIn ? [`also in ${counted(hit.alsoIn.count, 'session')}`] : []),
    ...(hit.archived ? ['archived'] : []),
    ...(hit.inCurrentView ? [] : ['before the last reset']),
    ...(hit.redacted ? ['redacted'] : []),
    ...(hit.stale ? ['index not up to date'] : []),
    ...(withScore ? [`score ${hit.score.toFixed(3)}`] : []),
  ];
}

/** What the answer did not look at, one line each (SUR-3). */
export function renderCoverage(
  result: { readonly coverage: Coverage & Partial<SearchResult['coverage']>; readonly warning?: string },
  look: Look,
): string[] {
  const { coverage } = result;
  const lines: string[] = [];
  if (result.warning !== undefined) lines.push(result.warning);
  if (coverage.query?.relaxed)
    lines.push(`No message holds every word; these hold ${relaxedTo(coverage.query.stage)}.`);
  if (coverage.query && coverage.query.dropped.length > 0) {
    lines.push(`Not looked for: ${coverage.query.dropped.map((word) => oneLine(word, 40)).join(', ')}.`);
  }
  if (!coverage.ranked.complete) {
    lines.push(`Ranked among ${count(coverage.ranked.considered)} candidates; there are more. Add a rarer word.`);
  }
  for (const { what, reason } of coverage.skipped.slice(0, 3))
    lines.push(`Not looked at: ${oneLine(what)} (${reason}).`);
  if (coverage.skippedTotal > 3) lines.push(`… and ${count(coverage.skippedTotal - 3)} more not looked at.`);
  for (const warning of coverage.warnings) lines.push(oneLine(warning));
  const left = coverage.notImported ?? 0;
  if (left > 0)
    lines.push(`${counted(left, 'transcript')} not read yet: search again, or backstory sync${look.again}.`);
  return [...new Set(lines)];
}

function relaxedTo(stage: 'prefix' | 'words' | 'some' | undefined): string {
  if (stage === 'prefix') return 'words that begin so';
  return stage === 'words' ? 'the words, not as a phrase' : 'some of them';
}

/** `--explain`: how the query was read and what was looked at. */
export function renderExplanation(result: SearchResult, look: Look): string[] {
  const { coverage, explain } = result;
  const { window } = coverage;
  return [
    `Looked at ${counted(coverage.sessions?.searched ?? 0, 'session')}; ranked ${count(coverage.ranked.considered)} candidates.`,
    ...(window?.since === undefined ? [] : [`Since ${timeWithAge(window.since, look.zone, look.now)}.`]),
    ...(window?.until === undefined ? [] : [`Until ${timeWithAge(window.until, look.zone, look.now)}.`]),
    ...(explain
      ? [
          `Read as: ${oneLine(explain.query)}`,
          `Found in ${explain.documentFrequency.map(count).join(', ')} of ${counted(explain.texts, 'text')}.`,
        ]
      : []),
    `Query ${coverage.query?.relaxed ? `relaxed (${coverage.query.stage ?? 'some'})` : 'as given'}; the answer is ${coverage.complete ? 'complete' : 'not complete'}.`,
  ];
}
