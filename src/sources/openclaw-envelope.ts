// What OpenClaw puts before a person's words in a message from a channel: who wrote it, and when (SRC-146).

export interface Opened {
  /** What was typed; absent when the product wrote all of it. */
  readonly prompt?: string;
  readonly injected: readonly string[];
  readonly author?: { readonly id: string; readonly name?: string };
}

const OWN = /^(?:\[cron:|System:|A new session was started|Read HEARTBEAT\.md)/;
const BLOCK =
  /^(?:Conversation info|Sender|Thread starter|Replied message|Forwarded message context|Chat history since last reply) \(untrusted[^)\n]{0,40}\):\n```json\n/;
const STAMP = /^\[(?:[A-Z][a-z]{2} )?\d{4}-\d{2}-\d{2} \d{2}:\d{2}(?::\d{2})?(?: [A-Za-z0-9+:-]{1,10})?\]\s*/;
const FENCE = '\n```';

export function openEnvelope(text: string): Opened {
  const injected: string[] = [];
  let author: Opened['author'];
  let rest = text.trimStart();
  for (let match = BLOCK.exec(rest); match; match = BLOCK.exec(rest)) {
    const end = rest.indexOf(FENCE, match[0].length - 1);
    if (end < 0) break;
    author ??= authorOf(rest.slice(match[0].length, end));
    injected.push(rest.slice(0, end + FENCE.length));
    rest = rest.slice(end + FENCE.length).trimStart();
  }
  const stamp = STAMP.exec(rest)?.[0] ?? '';
  if (stamp !== '') injected.push(stamp.trim());
  rest = rest.slice(stamp.length);
  if (OWN.test(rest)) return { injected: [...injected, rest], ...(author ? { author } : {}) };
  // Without any envelope a text stays as it was written.
  const prompt = injected.length === 0 ? text : rest.trim();
  return { injected, ...(prompt.trim() === '' ? {} : { prompt }), ...(author ? { author } : {}) };
}

function authorOf(json: string): Opened['author'] {
  try {
    const fields = JSON.parse(json) as Record<string, unknown> | null;
    return namedAuthor(fields?.sender_id ?? fields?.id, fields?.sender ?? fields?.name);
  } catch {
    return undefined;
  }
}

/** A sender, when there is an id; undefined otherwise. */
export function namedAuthor(id: unknown, name: unknown): Opened['author'] {
  if ((typeof id !== 'string' && typeof id !== 'number') || id === '') return undefined;
  const named = typeof name === 'string' && name !== '' ? { name: name.toWellFormed().slice(0, 200) } : {};
  return { id: String(id).toWellFormed().slice(0, 200), ...named };
}
