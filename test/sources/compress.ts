// A Zstandard frame of stored blocks: enough to test reading, without a package that compresses.

const MAX_BLOCK = 131_072;

export function zstdOf(content: Uint8Array): Buffer {
  const parts: Uint8Array[] = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0]), number(content.length, 4)];
  for (let at = 0; at === 0 || at < content.length; at += MAX_BLOCK) {
    const block = content.subarray(at, at + MAX_BLOCK);
    const last = at + MAX_BLOCK >= content.length ? 1 : 0;
    parts.push(number(block.length * 8 + last, 3), block);
  }
  return Buffer.concat(parts);
}

function number(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntLE(value, 0, bytes);
  return buffer;
}
