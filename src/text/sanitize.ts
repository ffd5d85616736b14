// Takes out of a text what could hide text or drive a terminal or a model (TXT-3). Linear and idempotent (TXT-4).

// The body of a control string: no control character ends or begins another one inside it, no line feed is swallowed.
const BODY = '[^\\x00-\\x1f\\x7f-\\x9f]{0,4096}';
const PATTERN = new RegExp(
  [
    // CSI, in 7 and 8 bits.
    '(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]',
    // OSC, to BEL or ST.
    `(?:\\x1b\\]|\\x9d)${BODY}(?:\\x07|\\x1b\\\\|\\x9c)`,
    // DCS, SOS, PM, APC, to ST.
    `(?:\\x1b[PX^_]|[\\x90\\x98\\x9e\\x9f])${BODY}(?:\\x1b\\\\|\\x9c)`,
    // What is left of an unterminated one, and escapes of two characters.
    '[\\x90\\x98\\x9b\\x9d\\x9e\\x9f]',
    '\\x1b[ -/]*[0-~]',
    '\\r\\n',
    '[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u2028\\u2029]',
    '[\\u200c\\u200d]',
    '[\\p{Cf}\\u{e0000}-\\u{e007f}]',
    '[\\ud800-\\udfff]',
  ].join('|'),
  'gu',
);
// Anything outside printable ASCII, tab and line feed: without it there is nothing to do.
const SUSPECT = /[^\t\n -~]/;
// biome-ignore lint/suspicious/noMisleadingCharacterClass: skin tones alone are meant
const JOINABLE_BEFORE = /[\p{L}\p{M}\p{Emoji_Presentation}\p{Extended_Pictographic}\u{1f3fb}-\u{1f3ff}]$/u;
const JOINABLE_AFTER = /^[\p{L}\p{M}\p{Emoji_Presentation}\p{Extended_Pictographic}]/u;
const FIRST_C1 = 0x90;

/** The text without terminal sequences, invisible and control characters; line feeds stay, as many as there were. */
export function sanitize(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text.replace(PATTERN, (found: string, offset: number) => {
    const code = found.charCodeAt(0);
    if (found.length === 1) {
      if (code === 0x200c || code === 0x200d) return isBetweenJoinable(text, offset) ? found : '';
      if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
      if (code >= FIRST_C1 && code <= 0x9f && '\x90\x98\x9b\x9d\x9e\x9f'.includes(found)) return '';
      return code < 0x20 || (code >= 0x7f && code < 0xa0) || code === 0x2028 || code === 0x2029 ? ' ' : '';
    }
    return found === '\r\n' ? '\n' : '';
  });
}

function isBetweenJoinable(text: string, offset: number): boolean {
  return (
    JOINABLE_BEFORE.test(text.slice(Math.max(0, offset - 2), offset)) &&
    JOINABLE_AFTER.test(text.slice(offset + 1, offset + 3))
  );
}
