import { describe, expect, test } from 'vitest';
import { LongLine } from '../../src/sources/long-line.ts';

const MIB = 1_048_576;

/** The line as its reader gets it, handed over in segments of a size. */
function reduced(line: string, size: number): { text: string; cut: boolean } {
  const bytes = Buffer.from(line);
  const long = new LongLine(0);
  for (let at = 0; at < bytes.length; at += size) long.add(bytes.subarray(at, at + size));
  const { bytes: kept, cut, length } = long.done();
  expect(length).toBe(bytes.length);
  return { text: kept.toString('utf8'), cut };
}

describe('SRC-56: a line too long to hold', () => {
  test.each([0, 1, 2, 3])('text cut at 16 MiB stays JSON, however its escapes fall on the segments (%i)', (shift) => {
    for (const unit of ['"', '\\', '\n', 'é', '😀', '\u0001']) {
      const line = JSON.stringify({
        type: 'user',
        message: { content: `${'x'.repeat(shift)}${unit.repeat(9 * MIB)}` },
        uuid: 'u-1',
      });
      if (Buffer.byteLength(line) < 17 * MIB) continue;
      const { text, cut } = reduced(line, MIB);
      expect(cut).toBe(true);
      const record = JSON.parse(text) as { message: { content: string }; uuid: string };
      expect(record.uuid).toBe('u-1');
      expect(record.message.content.length).toBeGreaterThan(MIB);
    }
  });

  test('strings that are no text shrink, whatever the segments; text and keys stay', () => {
    const value = {
      a: 'A'.repeat(100_000),
      text: 'needle "quoted" \\ end',
      b: [`${'\\'.repeat(50_001)}"`],
      c: { text: 'last' },
    };
    const line = JSON.stringify(value);
    for (const size of [1, 7, 4_096, 65_537, line.length]) {
      const record = JSON.parse(reduced(line, size).text) as typeof value;
      expect(record.text).toBe(value.text);
      expect(record.c).toEqual(value.c);
      expect(record.a.length).toBeLessThan(10_000);
    }
  });
});
