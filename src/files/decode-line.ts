// UTF-8 at the edges of what was read: decoding a line, and where bytes may be cut (FILE-16 – FILE-18).

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** The text of a line; every maximal invalid part becomes one U+FFFD, nothing is an error (FILE-16). */
export function decodeLine(bytes: Uint8Array): string {
  return utf8.decode(bytes);
}

/** The last place at or before `end`, at most 3 bytes back, where no character of `bytes` is cut in two. */
export function cutBetweenCharacters(bytes: Uint8Array, end: number): number {
  if (end >= bytes.length) return end;
  for (let at = end; at >= Math.max(0, end - 3); at--) {
    const byte = bytes[at]!;
    if ((byte & 0xc0) === 0x80) continue;
    return at + lengthOf(byte) > end ? at : end;
  }
  return end;
}

/** How many of the last bytes are the beginning of a character whose rest is still to come: 0 to 3. */
export function incompleteAtEnd(bytes: Uint8Array): number {
  for (let count = 1; count <= Math.min(3, bytes.length); count++) {
    const byte = bytes[bytes.length - count]!;
    if ((byte & 0xc0) === 0x80) continue;
    if (lengthOf(byte) <= count) return 0;
    return count === 1 || canFollow(byte, bytes[bytes.length - count + 1]!) ? count : 0;
  }
  return 0;
}

// 1 for ASCII and for bytes that begin no character.
function lengthOf(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 1;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

// Overlong forms, surrogates and values over U+10FFFF show in the second byte: no rest can make them valid.
function canFollow(lead: number, second: number): boolean {
  if (lead === 0xe0) return second >= 0xa0;
  if (lead === 0xed) return second < 0xa0;
  if (lead === 0xf0) return second >= 0x90;
  if (lead === 0xf4) return second < 0x90;
  return true;
}
