// The JSON body of a request, within a bound that is held while it comes in.
import { BackstoryError } from '../model/errors.ts';

/** Throws `unsupported_media_type`, `request_too_large`, and `invalid_argument` for what is no JSON. */
export async function readBody(request: Request, maxBytes: number): Promise<unknown> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) {
    throw new BackstoryError(
      'unsupported_media_type',
      `The body is ${type === '' ? 'of no type' : JSON.stringify(type.slice(0, 80))}.`,
      'Send JSON, with Content-Type: application/json.',
    );
  }
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
    return text.trim() === '' ? {} : (JSON.parse(text) as unknown);
  } catch (cause) {
    throw new BackstoryError('invalid_argument', 'The body is no JSON.', 'Send one JSON object in UTF-8.', { cause });
  }
}

function tooLarge(maxBytes: number): BackstoryError {
  return new BackstoryError('request_too_large', `The body is over ${maxBytes} bytes.`, 'Send less at once.', {
    details: { maxBytes },
  });
}
