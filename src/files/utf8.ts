// UTF-8 at the borders of what was read: decoding a line, and where bytes may be cut. Pure.

/** A line as text; each maximal invalid part becomes one U+FFFD, nothing throws (FILE-16). */
export function decodeLine(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** How many bytes at the end of `bytes[from, to)` begin a character that is not complete there: 0 to 3. */
export function incompleteAtEnd(bytes: Uint8Array, from: number, to: number): number {
  for (let back = 1; back <= 3 && to - back >= from; back++) {
    const lead = bytes[to - back]!;
    if ((lead & 0xc0) === 0x80) continue;
    const length = lengthOf(lead);
    return length > back && (back === 1 || isSecond(lead, bytes[to - back + 1]!)) ? back : 0;
  }
  return 0;
}

function lengthOf(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 1;
}

// The second byte rules out overlong forms, surrogates and what is beyond U+10FFFF; such a part is invalid, not incomplete.
function isSecond(lead: number, second: number): boolean {
  if (lead === 0xe0) return second >= 0xa0;
  if (lead === 0xed) return second <= 0x9f;
  if (lead === 0xf0) return second >= 0x90;
  return lead !== 0xf4 || second <= 0x8f;
}
