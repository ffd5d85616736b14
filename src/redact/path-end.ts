// Where a local path ends (MASK-43). Looks at every unit of it once, and at most 64 units ahead of a space.

const SPACE = 32;
const MAX_AHEAD = 64;
const MAX_QUOTED = 1024;

/** The end of the path that starts at `start` and is known up to `from`, without what follows it in a sentence. */
export function pathEnd(text: string, from: number, start: number): number {
  const closing = closingQuote(text, start, from);
  const end = closing ?? unquotedEnd(text, from, start);
  return trimmed(text, end, Math.max(from, start + 1));
}

/** At the quote that matches the one before the path, when what lies between reads as one path. */
function closingQuote(text: string, start: number, from: number): number | undefined {
  const quote = text[start - 1];
  if (quote !== '"' && quote !== "'" && quote !== '`') return undefined;
  const window = text.slice(from, from + MAX_QUOTED);
  let end = window.indexOf(quote);
  if (end === -1) return undefined;
  // Backslashes before a quote are its escape, or the end of an escaped backslash: they stay with it (MASK-7).
  while (end > 0 && window[end - 1] === '\\') end--;
  const inner = window.slice(0, end);
  if (/[\n\r<>|]|(?<!\\)(?:\\\\){0,2}\\[nrt"](?![\w .-]*[\\/])|[:,;] |\[hidden:|:\/\//.test(inner)) return undefined;
  const position = /(?::\d{1,7}){1,2}$|\(\d{1,7}(?:, ?\d{1,7})?\)$/.exec(inner);
  if (position) return from + position.index;
  const space = inner.lastIndexOf(' ');
  return space !== -1 && end - space > MAX_AHEAD ? undefined : from + end;
}

function unquotedEnd(text: string, from: number, start: number): number {
  const backslashes = /^\\*/.exec(text.slice(from, from + 8))![0].length;
  const isWindows = /^(?:[A-Za-z]:|\\)/.test(text.slice(start, start + 2)) && text[start + 1] !== '/';
  let separator = isWindows ? styleOf(text, start) : backslashes;
  let colons = 0;
  let depth = 0;
  let end = from;
  while (end < text.length) {
    const unit = text[end]!;
    const code = text.charCodeAt(end);
    if (code <= SPACE) {
      if (code !== SPACE || !isCrossed(text, end, start, isWindows)) return end;
    } else if (unit === '\\') {
      const run = /^\\+/.exec(text.slice(end, end + 9))![0].length;
      const next = text[end + run];
      if (next === undefined || next === '"' || next === "'" || next === '`') return end;
      if (next === '/') end += run;
      else if (run === 1 && next === ' ' && !isWindows) end++;
      else if (separator === 0 && !/[nrt"'`u]/.test(next ?? '"')) separator = run;
      else if (run !== separator && !(end === from && run <= 4)) return end;
      else end += run - 1;
    } else if (unit === ':' && isDriveColon(text, end)) {
      // `file:///C:/x`, `\\\\?\\C:\\x`
    } else if (unit === ':') {
      if (/^(?:[\d\s"'`/\\),\]]|$)/.test(text.slice(end + 1, end + 2)) || ++colons > 1) return end;
    } else if (unit === '[' && text.startsWith('[hidden:', end)) {
      const marker = /^\[hidden:[a-z][a-z0-9-]{0,31}\]/.exec(text.slice(end, end + 42))?.[0];
      if (marker !== undefined) end += marker.length - 1;
      else depth++;
    } else if (unit === '(' || unit === '[' || unit === '{') {
      // A position such as `(12,3)` is not part of it.
      if (/^\(\d{1,7}(?:, ?\d{1,7})?\)/.test(text.slice(end, end + 20))) return end;
      depth++;
    } else if (unit === ')' || unit === ']' || unit === '}') {
      if (--depth < 0) return end;
    } else if (ENDS.test(unit)) return end;
    else if (unit === '&' && /^&(?:quot|#3[49]|apos|lt|gt);/.test(text.slice(end, end + 6))) return end;
    end++;
  }
  return end;
}

const ENDS = /["'`<>|*?,;\u00a0\u2028\u2029\u3000。，、；：）」』】》]/;

function isDriveColon(text: string, at: number): boolean {
  return /^[\\/][A-Za-z]:[\\/]$/.test(text.slice(at - 2, at + 2));
}

/** How many backslashes part the segments of a Windows path: one in plain text, two in a JSON string. */
function styleOf(text: string, start: number): number {
  const drive = /^[A-Za-z]:(\\+)/.exec(text.slice(start, start + 10));
  if (drive) return drive[1]!.length;
  const share = /^(\\+)/.exec(text.slice(start, start + 8));
  return share ? Math.max(1, share[1]!.length >> 1) : 0;
}

/**
 * A space is part of a path when a separator follows: `C:\Users\John Smith\x`. Not when another path, a URL or an option
 * begins there, nor behind a file name. Backslashes are rare in prose, so several words may stand before one.
 */
function isCrossed(text: string, space: number, start: number, isWindows: boolean): boolean {
  const ahead = text.slice(space + 1, space + 1 + MAX_AHEAD);
  if (/^(?:[\s/~$%-]|\\\\|[A-Za-z]:[\\/]|[a-z][\w+.-]{1,15}:\/\/|<run>|\[hidden:)/i.test(ahead)) return false;
  const next = isWindows ? /^[^\\/"'`<>|*?,;:\n\r\t]*[\\/]/.exec(ahead) : /^[^\s\\/"'`<>|*?,;)\]}:]+\\?\//.exec(ahead);
  if (!next) return false;
  const last = text.slice(Math.max(start, space - 12), space);
  return isWindows || !/\.[A-Za-z]\w{0,4}$/.test(last);
}

/** Without the punctuation of a sentence. */
function trimmed(text: string, end: number, least: number): number {
  let at = end;
  while (at > least && '.,:;!'.includes(text[at - 1]!)) at--;
  // `../..` ends in a segment, not in a sentence.
  return at < end && /[\\/]\.\.?$/.test(text.slice(Math.max(0, at - 1), Math.min(end, at + 2)))
    ? Math.min(end, at + 2)
    : at;
}
