// Lines of standard input, before the SDK reads them: what is no message of the protocol is answered here, where the SDK
// drops it and its sender would wait for ever (SUR-31).
import { Transform } from 'node:stream';

/** A line may be so long, in bytes; nothing that a tool takes comes near it. */
export const MAX_LINE_BYTES: number = 16 * 1_048_576;

const LINE_FEED = 0x0a;
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

interface Refusal {
  readonly id: string | number | null;
  readonly code: number;
  readonly message: string;
}

/** Passes messages on, a line each; `answer` gets a whole line for each that is none. */
export function checkedLines(answer: (line: string) => void): Transform {
  let parts: Buffer[] = [];
  let bytes = 0;
  const refuse = ({ id, code, message }: Refusal): void => {
    answer(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
  };
  const take = (lines: Transform): void => {
    const line = bytes > MAX_LINE_BYTES ? undefined : Buffer.concat(parts);
    [parts, bytes] = [[], 0];
    if (line === undefined) {
      const message = `A line is over ${MAX_LINE_BYTES} bytes. Ask for less at once.`;
      refuse({ id: null, code: INVALID_REQUEST, message });
      return;
    }
    const text = line.toString('utf8').trim();
    if (text === '') return;
    const refusal = refusalOf(text);
    if (refusal !== undefined) refuse(refusal);
    else lines.push(`${text}\n`);
  };
  return new Transform({
    transform(chunk: Buffer, _, done) {
      let from = 0;
      for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
        keep(chunk.subarray(from, at));
        take(this);
        from = at + 1;
      }
      keep(chunk.subarray(from));
      done();
    },
    // A message without a line feed is none: its sender may have been cut off in the middle.
    flush(done) {
      done();
    },
  });

  function keep(part: Buffer): void {
    bytes += part.length;
    if (bytes > MAX_LINE_BYTES) parts = [];
    else if (part.length > 0) parts.push(part);
  }
}

/** Undefined for a message of JSON-RPC 2.0 as the protocol has it: one object, with an id that is a text or an integer. */
function refusalOf(text: string): Refusal | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return {
      id: null,
      code: PARSE_ERROR,
      message: 'The line is not valid JSON. Send one message of JSON-RPC 2.0 a line.',
    };
  }
  const invalid = (id: string | number | null, what: string): Refusal => {
    return { id, code: INVALID_REQUEST, message: `${what} Send one message of JSON-RPC 2.0 a line.` };
  };
  if (Array.isArray(value)) return invalid(null, 'Batches are not part of the protocol.');
  if (typeof value !== 'object' || value === null) return invalid(null, 'The line is no object.');
  const { jsonrpc, id, method } = value as { jsonrpc?: unknown; id?: unknown; method?: unknown };
  // Nothing is ever an answer to an answer.
  if (method === undefined && ('result' in value || 'error' in value)) return undefined;
  const isId = typeof id === 'string' || Number.isSafeInteger(id);
  const known = isId ? (id as string | number) : null;
  if (jsonrpc !== '2.0') return invalid(known, 'jsonrpc is not "2.0".');
  if (id !== undefined && !isId) return invalid(null, 'id is neither a text nor an integer.');
  if (typeof method !== 'string') return invalid(known, 'method is no text.');
  const { params } = value as { params?: unknown };
  if (params !== undefined && (typeof params !== 'object' || params === null || Array.isArray(params))) {
    return invalid(known, 'params is no object.');
  }
  return undefined;
}
