// Records under review and reports of upkeep, for people. What is stored is shown harmless.
import type { DistillBatch, DistillResult, Inspection, ListPage, PruneReport } from '../../api/face.ts';
import type { Look } from './hits.ts';
import { labelOf } from './memory.ts';
import { harmless, oneLine } from './text.ts';
import { counted, timeWithAge } from './time.ts';

export function renderList({ records, parked }: ListPage, look: Look): string {
  const { paint, zone, now } = look;
  const rows = records.map((record) => {
    const expired = record.expired ? `  ${paint.bad('expired')}` : '';
    const head = `${paint.bold(oneLine(record.id, 80))}  ${labelOf(record, look)}  ${timeWithAge(record.createdAt, zone, now)}${expired}`;
    return `${head}\n    ${oneLine(record.content, look.columns - 4)}\n    ${paint.dim(oneLine(record.namespace))}\n`;
  });
  const runs = parked.map((run) => {
    const head = `${paint.bold(oneLine(run.id, 80))}  parked  ${timeWithAge(run.startedAt, zone, now)}`;
    const input = run.input === '' ? '(no input)' : oneLine(run.input, look.columns - 4);
    return `${head}\n    ${input}\n    ${paint.dim(oneLine(run.namespace))}\n`;
  });
  return [...rows, ...runs].join('\n');
}

const REASONS: Readonly<Record<Inspection['reasons'][number], string>> = {
  candidate: 'it waits for review',
  superseded: 'it is superseded',
  expired: 'it has expired and waits for a prune',
  outside_window: 'it lies outside the window',
};

export function renderInspection(inspection: Inspection, { paint }: Look): string {
  const { record, recalled, reasons, supersedes, supersededBy, derivedFrom, derivedRecords } = inspection;
  const chain: readonly (readonly [string, readonly string[]])[] = [
    ['supersedes', supersedes],
    ['superseded by', supersededBy],
    ['derived from', derivedFrom],
    ['derived records', derivedRecords],
  ];
  const why = recalled
    ? 'Recall would show it.'
    : `Recall does not show it: ${reasons.map((reason) => REASONS[reason]).join(', ')}.`;
  return [
    harmless(JSON.stringify(record, null, 2)),
    ...chain.flatMap(([name, ids]) =>
      ids.length === 0 ? [] : [`${paint.dim(name.padEnd(16))}${oneLine(ids.join(', '))}`],
    ),
    why,
    '',
  ].join('\n');
}

export function renderPruned(report: PruneReport): string {
  const { expired, overCap, older, parkedExpired, namespaces, dryRun } = report;
  const verb = dryRun ? 'Would delete' : 'Deleted';
  return `${verb} in ${counted(namespaces, 'namespace')}: ${expired} expired, ${overCap} over budget, ${older} older, ${counted(parkedExpired, 'parked run')}.\n`;
}

const WHY: Readonly<Record<NonNullable<DistillBatch['reason']>, string>> = {
  threw: 'the function threw',
  timeout: 'the function took over 120 s',
  no_text: 'the function gave no text',
  changed: 'its records changed meanwhile',
};

export function renderDistilled({ batches, waiting, more, dryRun }: DistillResult, { paint }: Look): string {
  const lines = batches.map((batch) => {
    const { status, reason, sources, contents = [], namespace, period } = batch;
    const days = `${period.since.slice(0, 10)}..${new Date(Date.parse(period.until) - 1).toISOString().slice(0, 10)}`;
    const why = reason === undefined ? '' : ` (${WHY[reason]})`;
    const shown = status === 'failed' || status === 'dropped' ? paint.bad(status) : paint.good(status);
    const head = `${shown}${why}  ${days}  ${counted(sources.length, 'record')}  ${paint.dim(oneLine(namespace))}`;
    return [head, ...contents.map((content) => `    ${oneLine(content)}`)].join('\n');
  });
  if (batches.length === 0) lines.push('Nothing to do.');
  if (waiting > 0) lines.push(`${counted(waiting, 'record')} wait${waiting === 1 ? 's' : ''} for more.`);
  if (more)
    lines.push(`There are more batches: ${dryRun ? 'add --max-batches N' : 'run it again, or add --max-batches N'}.`);
  return `${lines.join('\n')}\n`;
}
