// What all commands do with a result: print it as JSON or for people, and end with the right exit code (SUR-20, SUR-21).
import type { Io } from './io.ts';
import type { Parsed } from './parse.ts';

export const EXIT = { done: 0, nothing: 1, usage: 2, incomplete: 3, refused: 4, internal: 5 } as const;

/** With --json exactly the result, on one line, or indented on a terminal. Otherwise what `render` makes of it. */
export function answer(io: Io, parsed: Parsed, result: unknown, render: () => string): void {
  if (parsed.has('json')) io.out(`${JSON.stringify(result, null, io.outIsTerminal ? 2 : undefined)}\n`);
  else io.out(render());
}

/** Hints and warnings, on standard error. With --json most commands give none: the result says it all. */
export function hint(io: Io, lines: readonly string[]): void {
  for (const line of lines) io.err(`${line}\n`);
}

/** How to go on after a page that was cut: at a terminal, and everywhere when more than was asked for did not fit. */
export function hintMore(io: Io, shown: string, { truncated, cursor }: Cut): void {
  if (!truncated || cursor === undefined || !(io.errIsTerminal || truncated === 'bytes')) return;
  const more = truncated === 'bytes' ? 'no more fit on one page: go on with' : 'there are more: add --limit N, or';
  hint(io, [`${shown}, and ${more} --cursor from --json.`]);
}

interface Cut {
  readonly truncated: string | false;
  readonly cursor?: string;
}

/** 3 before 1: an answer that is not complete does not say that there is nothing (SUR-21). */
export function exitOf(parsed: Parsed, found: boolean, coverage: { readonly complete: boolean } | undefined): number {
  if (parsed.has('strict') && coverage && !coverage.complete) return EXIT.incomplete;
  return found ? EXIT.done : EXIT.nothing;
}
