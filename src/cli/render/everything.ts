// Results of all kinds for people: hits as in a search, numbered for `open`; episodes with the id that inspects them.
import type { EverythingResult, Found } from '../../api/face.ts';
import { type Look, renderHit } from './hits.ts';
import { oneLine } from './text.ts';
import { timeWithAge } from './time.ts';

export function renderEverything({ results }: EverythingResult, look: Look): string {
  let number = 0;
  return results
    .map((found) => (found.kind === 'session' ? renderHit(found.hit, ++number, look, false) : renderOther(found, look)))
    .join('\n');
}

function renderOther(found: Exclude<Found, { kind: 'session' }>, { paint, zone, now, columns, again }: Look): string {
  const indent = '    ';
  const width = Math.max(20, columns - indent.length);
  if (found.kind === 'episode') {
    const { record } = found;
    const head = `${paint.title(record.kind)}  ${timeWithAge(record.effectiveAt ?? record.createdAt, zone, now)}`;
    const reopen = paint.dim(`backstory memory inspect ${record.id}${again}`);
    return `  · ${head}\n${indent}${oneLine(record.content, width)}\n${indent}${reopen}\n`;
  }
  const { file, line, text, time } = found.evidence;
  return `  · ${paint.title('run file')}  ${oneLine(`${file}:${line}`)}  ${time ?? ''}\n${indent}${oneLine(text, width)}\n`;
}
