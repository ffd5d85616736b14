// FileState as bytes: whole or not at all (FILE-3, FILE-21).
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FileState } from '../../src/files/index.ts';

const MIB = 1_048_576;
const big = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const stateOf: fc.Arbitrary<FileState> = fc
  .record({
    size: fc.nat(3 * MIB),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    data: fc.uint8Array({ maxLength: 50 }),
  })
  .chain(({ size, share, data }) => {
    const count = Math.ceil(size / MIB);
    const consumed = Math.floor(size * share);
    return fc.record({
      dev: big,
      ino: big,
      birthNs: big,
      size: fc.constant(size),
      mtimeNs: big,
      ctimeNs: big,
      settled: fc.boolean(),
      sinceNs: big,
      passed: fc.nat(9),
      consumed: fc.constant(consumed),
      lines: fc.nat(consumed),
      anchor: fc.constant({ offset: Math.floor(consumed * share), number: 1, data }),
      head: fc.uint8Array({ minLength: 16, maxLength: 16 }),
      blocks: fc.uint8Array({ minLength: count * 16, maxLength: count * 16 }),
      checked: fc.nat(Math.max(0, count - 1)),
      kind: fc.constantFrom('text' as const, 'undecided' as const),
      generation: fc.nat(),
      whole: fc.boolean(),
    });
  });

test('FILE-21: a state comes back from its bytes as it was, in at most 256 bytes, 16 per block and the data', () => {
  fc.assert(
    fc.property(stateOf, (state) => {
      const bytes = FileState.encode(state);
      expect(FileState.decode(bytes)).toEqual(state);
      expect(bytes.length).toBeLessThanOrEqual(256 + state.blocks.length + state.anchor.data.length);
    }),
  );
});

test('FILE-21: bytes that are cut, longer or changed anywhere are no state', () => {
  fc.assert(
    fc.property(stateOf, fc.nat(), fc.integer({ min: 1, max: 255 }), (state, at, change) => {
      const bytes = FileState.encode(state);
      expect(FileState.decode(bytes.subarray(0, at % bytes.length))).toBeUndefined();
      expect(FileState.decode(Buffer.concat([bytes, Buffer.from([change])]))).toBeUndefined();
      bytes[at % bytes.length]! ^= change;
      expect(FileState.decode(bytes)).toBeUndefined();
    }),
  );
});

test('FILE-21: a state that contradicts itself is none', () => {
  const [good] = fc.sample(
    stateOf.filter((state) => state.size > 10 && state.kind === 'text'),
    { numRuns: 1, seed: 1 },
  );
  const contradictions: Partial<FileState>[] = [
    { anchor: { ...good!.anchor, offset: good!.size + 1 } },
    { blocks: new Uint8Array(0) },
    { consumed: good!.size + 1 },
    { checked: 4 },
    { kind: 'binary' },
    { lines: good!.consumed + 1 },
    { size: Number.NaN },
    { generation: -1 },
  ];
  for (const wrong of contradictions) {
    expect(FileState.decode(FileState.encode({ ...good!, ...wrong })), Object.keys(wrong)[0]).toBeUndefined();
  }
});
