// What stands on standard input and is no message is answered, and whatever it is, the next message is served (SUR-31).
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkedLines, MAX_LINE_BYTES } from '../../src/mcp/stdio-lines.ts';

const PING = '{"jsonrpc":"2.0","id":7,"method":"ping"}';

async function through(
  chunks: readonly Buffer[],
): Promise<{ passed: string; answers: { id: unknown; code: number }[] }> {
  const answers: { id: unknown; code: number }[] = [];
  const lines = checkedLines((line) => {
    const { jsonrpc, id, error } = JSON.parse(line);
    expect([jsonrpc, line.at(-1), typeof error.message]).toEqual(['2.0', '\n', 'string']);
    answers.push({ id, code: error.code });
  });
  const passed = await text(Readable.from(chunks).pipe(lines));
  return { passed, answers };
}

test.each([
  ['{broken', null, -32_700],
  ['5', null, -32_600],
  ['null', null, -32_600],
  ['[]', null, -32_600],
  [`[${PING}]`, null, -32_600],
  ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', null, -32_600],
  ['{"jsonrpc":"2.0","id":null,"method":"ping"}', null, -32_600],
  ['{"jsonrpc":"2.0","id":{},"method":"ping"}', null, -32_600],
  ['{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', null, -32_600],
  ['{"jsonrpc":"1.0","id":3,"method":"ping"}', 3, -32_600],
  ['{"jsonrpc":"2.0","id":"a"}', 'a', -32_600],
  ['{"jsonrpc":"2.0","id":3,"method":5}', 3, -32_600],
  ['{"jsonrpc":"2.0","id":3,"method":"ping","params":[1]}', 3, -32_600],
  ['[['.repeat(50_000), null, -32_700],
])('SUR-31: %s is answered with %s and %i', async (line, id, code) => {
  const { passed, answers } = await through([Buffer.from(`${line}\n${PING}\n`)]);
  expect(answers).toEqual([{ id, code }]);
  expect(passed).toBe(`${PING}\n`);
});

test('SUR-31: messages pass as they are, answers too, wherever the bytes are cut; empty lines and CRLF are nothing', async () => {
  const messages = [
    PING,
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","id":"ünïcode \\u0000 📎","method":"tools/call","params":{"name":"é"}}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0","error":{"code":1,"message":"no id"}}',
  ];
  const bytes = Buffer.from(messages.map((message) => `\r\n${message}\r\n`).join(''));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
      const ends = [...cuts, bytes.length].sort((a, b) => a - b);
      const chunks = ends.map((end, at) => bytes.subarray(at === 0 ? 0 : ends[at - 1], end));
      const { passed, answers } = await through(chunks.filter((chunk) => chunk.length > 0));
      expect(answers).toEqual([]);
      expect(passed).toBe(messages.map((message) => `${message}\n`).join(''));
    }),
    { numRuns: 50 },
  );
});

test('SUR-31: a line over the bound is refused and not kept; one that is cut off at the end is nobody’s', async () => {
  const chunk = Buffer.alloc(1_048_576, 'x');
  const chunks = Array.from({ length: MAX_LINE_BYTES / chunk.length + 4 }, () => chunk);
  const { passed, answers } = await through([...chunks, Buffer.from(`\n${PING}\n{"jsonrpc":"2.0","id":8`)]);
  expect(answers).toEqual([{ id: null, code: -32_600 }]);
  expect(passed).toBe(`${PING}\n`);
});
