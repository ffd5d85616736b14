// Colour and marks, only where somebody looks (SUR-20): on a terminal, and never with NO_COLOR.
import type { Io } from '../io.ts';

export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  title(text: string): string;
  /** A matched word: by colour, else by « » on a terminal, else as it is. */
  match(text: string): string;
  good(text: string): string;
  bad(text: string): string;
}

export function paintFor(io: Io): Paint {
  const coloured = io.outIsTerminal && !io.env.NO_COLOR && io.env.TERM !== 'dumb';
  const style =
    (open: number, close: number) =>
    (text: string): string =>
      coloured && text !== '' ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  const plainMark = (text: string): string => (io.outIsTerminal ? `«${text}»` : text);
  const inverse = style(7, 27);
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    title: style(36, 39),
    match: coloured ? inverse : plainMark,
    good: style(32, 39),
    bad: style(31, 39),
  };
}
