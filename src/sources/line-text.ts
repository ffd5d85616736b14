// The text of a line's bytes, and how many of its sequences are no UTF-8 (SRC-55).
import { isAscii, isUtf8 } from 'node:buffer';

const utf8 = new TextDecoder('utf-8');

/** ASCII, which most lines are, is taken as it is: a third of the cost, and JSON.parse is faster on it. */
export function lineText(bytes: Uint8Array): string {
  if (!isAscii(bytes)) return utf8.decode(bytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** Sequences of `bytes` that became U+FFFD in `text`; a U+FFFD that was written as such is none. */
export function badSequences(bytes: Buffer, text: string): number {
  if (isUtf8(bytes)) return 0;
  let count = text.split('\ufffd').length - 1;
  for (let at = bytes.indexOf('\ufffd'); at >= 0; at = bytes.indexOf('\ufffd', at + 3)) count--;
  return count;
}

// Bytes that no string of JSON holds as they are, and that broken writers leave there.
const RAW = [0x00, 0x09, 0x0d, 0x1b];

/** False for a line that a scanner may find whole and a parser would not, or would change. Native searches only. */
export function isSound(line: Buffer): boolean {
  for (const code of RAW) if (line.includes(code)) return false;
  return isUtf8(line);
}
