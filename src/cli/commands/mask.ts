// backstory mask: shows a text as it would be searched and shown, and with --explain which rule hid what (MASK-53).
import { resolve } from 'node:path';
import { countByRule, explainMask } from '../../redact/explain.ts';
import { maskerFor } from '../../redact/settings.ts';
import { answer, EXIT } from '../answer.ts';
import type { Run } from '../command.ts';
import { configOf } from '../with-engine.ts';

export const run: Run = async (io, parsed) => {
  const { masking } = await configOf(io, parsed);
  const folder = parsed.value('run-folder');
  const masker = maskerFor(masking, folder === undefined ? {} : { runFolder: resolve(io.cwd, folder) });
  const { text, hidden } = explainMask(masker, await io.input());
  const counts = countByRule(hidden);
  answer(io, parsed, { text, hidden, counts }, () => text);
  if (!parsed.has('explain') || parsed.has('json')) return EXIT.done;
  for (const { line, marker, rule } of hidden) io.err(`line ${line}: ${marker} by ${rule}\n`);
  io.err(hidden.length === 0 ? 'Nothing would be hidden.\n' : `${summary(counts)}\n`);
  return EXIT.done;
};

function summary(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([rule, count]) => `${count} × ${rule}`)
    .join(', ');
}
