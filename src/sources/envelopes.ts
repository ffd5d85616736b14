// Tells what a person typed from what a product put around it (SRC-25). Each format lists its own tags.

export interface Envelope {
  readonly tags: readonly string[];
  /** A text that begins so is the product's own. */
  readonly prefixes: readonly string[];
  /** A text that begins with the first is the product's own up to the line that is the second: what follows was typed. */
  readonly heading?: readonly [prefix: string, heading: string];
  /** Tags whose content a person typed. */
  readonly typed?: readonly string[];
}

export interface Peeled {
  /** What was typed; a text without any envelope is returned as it is. */
  readonly prompts: readonly string[];
  readonly injected: readonly string[];
}

/** Only known tags at the start or the end are taken off; one that is quoted inside a sentence stays. */
export function peel(text: string, envelope: Envelope): Peeled {
  if (envelope.prefixes.some((prefix) => text.trimStart().startsWith(prefix))) return { prompts: [], injected: [text] };
  const [prefix, heading] = envelope.heading ?? [];
  if (prefix !== undefined && text.trimStart().startsWith(prefix)) {
    const at = text.indexOf(`\n${heading}\n`);
    const own = at < 0 ? '' : text.slice(at + heading!.length + 2).trim();
    if (own !== '') return { prompts: [own], injected: [text.slice(0, at)] };
  }
  const injected: string[] = [];
  const typed: string[] = [];
  let rest = text;
  for (;;) {
    const found = leading(rest, envelope.tags) ?? trailing(rest, envelope.tags);
    if (!found) break;
    if (envelope.typed?.includes(found.tag) && found.content.trim() !== '') typed.push(found.content.trim());
    else injected.push(found.whole);
    rest = found.rest;
  }
  if (injected.length === 0 && typed.length === 0) return { prompts: text.trim() === '' ? [] : [text], injected: [] };
  const own = rest.trim();
  return { prompts: own === '' ? typed : [own, ...typed], injected };
}

interface Found {
  readonly tag: string;
  readonly content: string;
  readonly whole: string;
  readonly rest: string;
}

function leading(text: string, tags: readonly string[]): Found | undefined {
  const trimmed = text.trimStart();
  const open = /^<([a-z][a-z0-9_ -]*?)(?:\s[^<>]*)?>/i.exec(trimmed);
  const tag = open?.[1];
  if (!open || tag === undefined || !tags.includes(tag)) return undefined;
  const closing = `</${tag}>`;
  const close = trimmed.indexOf(closing, open[0].length);
  if (close < 0) return undefined;
  const end = close + closing.length;
  return {
    tag,
    content: trimmed.slice(open[0].length, close),
    whole: trimmed.slice(0, end),
    rest: trimmed.slice(end),
  };
}

function trailing(text: string, tags: readonly string[]): Found | undefined {
  const trimmed = text.trimEnd();
  if (!trimmed.endsWith('>')) return undefined;
  for (const tag of tags) {
    const closing = `</${tag}>`;
    if (!trimmed.endsWith(closing)) continue;
    const open = trimmed.lastIndexOf(`<${tag}`);
    const bracket = open < 0 ? -1 : trimmed.indexOf('>', open);
    if (bracket < 0 || bracket >= trimmed.length - closing.length) return undefined;
    return {
      tag,
      content: trimmed.slice(bracket + 1, trimmed.length - closing.length),
      whole: trimmed.slice(open),
      rest: trimmed.slice(0, open),
    };
  }
  return undefined;
}
