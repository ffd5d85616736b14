// Recalled records and counts for people (SUR-23). What is stored is shown harmless.
import type { RecallResult, TimelineResult } from '../../api/face.ts';
import { tellAnswer } from '../../episodes/answer-text.ts';
import type { MemoryRecord } from '../../model/episode.ts';
import type { Look } from './hits.ts';
import { oneLine, wrapped } from './text.ts';
import { count, counted, timeWithAge } from './time.ts';

const INDENT = '    ';

export function renderRecalled({ records }: RecallResult, look: Look): string {
  return records
    .map((record, index) => {
      const { paint } = look;
      const at = timeWithAge(record.effectiveAt ?? record.createdAt, look.zone, look.now);
      const lines = [
        `${paint.bold(String(index + 1).padStart(3))} ${labelOf(record, look)}  ${at}`,
        ...wrapped(oneLine(record.content, 2_000), Math.max(20, look.columns - INDENT.length)).map(
          (line) => INDENT + line,
        ),
      ];
      const facts = [
        listed('tools', record.data.toolsUsed),
        listed('failed', record.data.toolsFailed),
        listed('tags', record.tags),
        record.repeats === undefined ? '' : `×${record.repeats} since ${String(record.firstAt)}`,
        oneLine(record.id, 80),
      ].filter((fact) => fact !== '');
      lines.push(INDENT + paint.dim(facts.join(' · ')));
      const { errorClass, errorMessage } = record.data;
      const error = [errorClass, errorMessage].filter((part) => typeof part === 'string').join(': ');
      if (error !== '') lines.push(INDENT + paint.bad(oneLine(error, 400)));
      return `${lines.join('\n')}\n`;
    })
    .join('\n');
}

/** What is to be said beside the records: why there are none, or that there are more. */
export function saidOf(result: RecallResult, look: Look): string[] {
  const { window, truncated } = result.coverage;
  const zone = typeof look.zone === 'string' ? look.zone : 'UTC';
  if (result.status !== 'found')
    return [tellAnswer({ ...result, ...(window === undefined ? {} : { window }) }, zone).text];
  const { total, records, unmatchedTerms = [] } = result;
  return [
    ...(unmatchedTerms.length === 0
      ? []
      : [`In no record: ${unmatchedTerms.map((word) => oneLine(word, 40)).join(', ')}.`]),
    ...(truncated
      ? [
          `${records.length} of ${total.exact ? '' : 'at least '}${total.count}: add --limit N, or --cursor from --json.`,
        ]
      : []),
  ];
}

export function labelOf({ kind, source, data }: MemoryRecord, { paint }: Look): string {
  if (kind === 'semantic') return paint.title('fact');
  if (kind === 'reflection') return paint.title('reflection');
  if (source.type !== 'run') return paint.title(source.type === 'distill' ? 'summary' : 'event');
  const outcome = oneLine(String(data.outcome), 40);
  return `run ${outcome === 'ok' ? paint.good(outcome) : paint.bad(outcome)}`;
}

function listed(name: string, values: unknown): string {
  if (!Array.isArray(values) || values.length === 0) return '';
  return `${name}: ${values.map((value) => oneLine(String(value), 80)).join(', ')}`;
}

/** `3 of 12`, groups, and one line for each bucket with a bar. */
export function renderTimeline({ total, of, groups, buckets }: TimelineResult, { zone, now, paint }: Look): string {
  const lines = [
    paint.bold(of === undefined ? counted(total, 'record') : `${count(total)} of ${counted(of, 'record')}`),
  ];
  for (const group of groups) lines.push(`  ${oneLine(group.key, 60).padEnd(24)} ${count(group.count)}`);
  const most = Math.max(1, ...buckets.map((bucket) => bucket.total));
  for (const bucket of buckets) {
    const start = timeWithAge(bucket.since, zone, now).replace(/ \([^()]*\)$/, '');
    const bar = '▇'.repeat(Math.ceil((bucket.total / most) * BAR));
    const parts = bucket.groups.map((group) => `${oneLine(group.key, 40)} ${count(group.count)}`).join(', ');
    lines.push(`  ${start}  ${count(bucket.total).padStart(6)} ${bar}${parts === '' ? '' : `  ${paint.dim(parts)}`}`);
  }
  return `${lines.join('\n')}\n`;
}

const BAR = 24;
