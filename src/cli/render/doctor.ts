// The doctor's report for people: what was looked at, and each finding with what to do.
import type { DoctorReport } from '../../api/face.ts';
import type { Look } from './hits.ts';
import { oneLine } from './text.ts';
import { bytesOf, counted } from './time.ts';

export function renderDoctor({ ok, checked, findings }: DoctorReport, { paint }: Look): string {
  const tried = checked.trial ? 'and writing, finding, reading and deleting work' : 'and the trial failed';
  const lines = [`${counted(checked.stores, 'store')} of ${bytesOf(checked.bytes)} looked at, ${tried}.`];
  for (const { level, message, fix, fixed } of findings) {
    const mark = fixed ? paint.good('fixed  ') : level === 'error' ? paint.bad('error  ') : `${level}`.padEnd(7);
    lines.push(`${mark}  ${oneLine(message)}`, `         ${paint.dim(oneLine(fix))}`);
  }
  lines.push(ok ? paint.good('Nothing is wrong.') : paint.bad('Something is wrong.'));
  return `${lines.join('\n')}\n`;
}
