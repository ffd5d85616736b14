// A decision for people: the answer first, then how it came about (VIS-60).
import type { Explanation } from '../../api/face.ts';
import type { Look } from './hits.ts';
import { oneLine } from './text.ts';

export function renderExplanation(session: string, result: Explanation, { paint }: Look): string {
  const { visible, exists, row, reason, steps, settings, chain = [], change } = result;
  const answer = visible ? 'visible' : 'not visible';
  const lines = [
    `${paint.bold(oneLine(session))} is ${paint.bold(answer)}: ${reason} (row ${row})${exists ? '' : '; no such session exists'}`,
    '',
    ...steps.map((step) => {
      const number = String(step.row).padStart(2);
      return `  ${step.applies ? paint.bold(number) : paint.dim(number)}  ${step.applies ? 'yes' : 'no '}  ${oneLine(step.because, 1_000)}`;
    }),
    '',
    ...settings.map(({ name, value, from }) => {
      const shown = value === undefined ? 'not set' : JSON.stringify(value);
      return `  ${paint.dim(name.padEnd(22))} ${oneLine(shown, 400)}  ${paint.dim(`(${oneLine(from)})`)}`;
    }),
    ...(chain.length === 0
      ? []
      : ['', ...chain.map(({ key, link, kind }) => `  ${oneLine(key)}  ${kind}, by ${link}`)]),
    ...(change === undefined ? [] : ['', `To change it: ${oneLine(change, 400)}`]),
  ];
  return `${lines.join('\n')}\n`;
}
