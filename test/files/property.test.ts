// F-45: whatever the bytes and however they arrive, following gives what one reading gives.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutBetweenCharacters, incompleteAtEnd } from '../../src/files/decode-line.ts';
import { decodeLine, FileState } from '../../src/files/index.ts';
import { World } from './recorder.ts';

// What trouble is made of: line ends in pieces, characters of all lengths, invalid bytes, byte order marks.
const piece = fc.oneof(
  fc.constantFrom('\n', '\r', '\r\n', '\n\n', '\ufeff', 'é', 'あ', '🙂', 'a', '\r\r\n'),
  fc.string({ maxLength: 12, unit: 'binary' }).map((text) => text.replaceAll('\0', '')),
);
const bad = fc.constantFrom([0xc3], [0xe3, 0x81], [0xf0, 0x9f, 0x99], [0x80], [0xff], [0xed, 0xa0, 0x80], [0xf5]);
const bytesOf = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: piece.map((text) => Buffer.from(text)) },
      { weight: 1, arbitrary: bad.map((b) => Buffer.from(b)) },
    ),
    { maxLength: 30 },
  )
  .map((parts) => Buffer.concat(parts))
  .filter((bytes) => !(bytes[0] === 0xff && bytes[1] === 0xfe) && !(bytes[0] === 0xfe && bytes[1] === 0xff));
const cutsOf = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });
const ruleOf = fc.constantFrom('end' as const, 'line before the last' as const, 'last segment' as const);

/** Appends the bytes cut at these shares of their length, with a look after each; gives what was found. */
async function followed(
  bytes: Buffer,
  cuts: readonly number[],
  options: object,
  rule: 'end' | 'line before the last' | 'last segment',
) {
  const world = new World(options);
  world.sink().rule = rule;
  world.write('');
  let done = 0;
  for (const end of [...cuts.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b), bytes.length]) {
    world.append(bytes.subarray(done, end));
    done = end;
    await world.look();
  }
  const { rows, unfinished, lines, state } = world.sink();
  const { consumed, lines: count, blocks, head } = FileState.decode(state!)!;
  return { rows, unfinished, lines, state: { consumed, count, blocks: [...blocks], head: [...head] } };
}

test('F-45, FILE-14 – FILE-19: any text, cut anyhow into appends, gives the lines and offsets of a single reading', async () => {
  await fc.assert(
    fc.asyncProperty(
      bytesOf,
      cutsOf,
      ruleOf,
      fc.constantFrom(1, 7, 4_194_304),
      async (bytes, cuts, rule, commitBytes) => {
        expect(await followed(bytes, cuts, { commitBytes }, rule)).toEqual(await followed(bytes, [], {}, 'end'));
      },
    ),
    { numRuns: 300 },
  );
});

test('F-45, FILE-14 – FILE-17: a single reading gives the lines that a plain splitting of the bytes gives', async () => {
  await fc.assert(
    fc.asyncProperty(bytesOf, async (bytes) => {
      const { rows, unfinished } = await followed(bytes, [], {}, 'end');
      const text = bytes.subarray(bytes.subarray(0, 3).toString('latin1') === '\xef\xbb\xbf' ? 3 : 0);
      const parts = text.toString('latin1').split('\n');
      const last = Buffer.from(parts.pop()!, 'latin1');
      expect(rows.map((row) => row.text)).toEqual(
        parts.map((part) => decodeLine(Buffer.from(part.replace(/\r$/, ''), 'latin1'))),
      );
      for (const row of rows) expect(decodeLine(bytes.subarray(row.offset)).startsWith(row.text)).toBe(true);
      const shown = last.at(-1) === 0x0d ? last.subarray(0, -1) : last.subarray(0, last.length - incompleteAtEnd(last));
      expect(unfinished?.text ?? '').toBe(decodeLine(shown));
    }),
    { numRuns: 200 },
  );
});

test('F-45, FILE-18: lines about maxLineBytes long, cut anyhow into appends, lose and double no byte', async () => {
  const lengths = fc.constantFrom(10, 65_535, 65_536, 65_537, 65_538, 1_048_576, 1_048_577, 1_048_578, 2_500_000);
  const line = fc.tuple(lengths, fc.constantFrom('x', 'é', '🙂', 'aあ'), fc.constantFrom('\n', '\r\n'));
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      cutsOf,
      ruleOf,
      async (lines, closed, cuts, rule) => {
        const text = lines
          .map(([length, letter, end]) => letter.repeat(length / Buffer.byteLength(letter)).padEnd(3, 'p') + end)
          .join('');
        const bytes = Buffer.from(closed ? text : text.trimEnd());
        const options = { maxLineBytes: 65_536, commitBytes: 300_000 };
        const found = await followed(bytes, cuts, options, rule);
        const single = await followed(bytes, [], options, 'end');
        expect(found.lines).toEqual(single.lines);
        expect(found.unfinished).toEqual(single.unfinished);
        expect(found.state).toEqual(single.state);
        const all = [...found.lines, ...(found.unfinished ? [found.unfinished.text] : [])];
        expect(all).toEqual(text.trimEnd().split(/\r?\n/));
      },
    ),
    { numRuns: 12 },
  );
});

test('FILE-16, FILE-17, FILE-18: bytes are never cut inside a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }), fc.nat(), (given, at) => {
      const bytes = Buffer.from(given.toWellFormed());
      const cut = cutBetweenCharacters(bytes, at % (bytes.length + 1));
      expect(decodeLine(bytes.subarray(0, cut)) + decodeLine(bytes.subarray(cut))).toBe(given.toWellFormed());
      const part = bytes.subarray(0, at % (bytes.length + 1));
      expect(given.toWellFormed().startsWith(decodeLine(part.subarray(0, part.length - incompleteAtEnd(part))))).toBe(
        true,
      );
    }),
  );
});
