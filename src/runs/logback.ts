// Patterns for logback that write our lines (RUN-11), as text for the <pattern> element of its XML.
import { BackstoryError } from '../model/errors.ts';
import { checkedAgentName, shownValue } from './agent-name.ts';

const TIME = '%d{yyyy-MM-dd HH:mm:ss}';
const PLACE = '[%X{episode-state:--}] [%X{conversation-id:--}]';
// A real line feed stands in the replacement (`&#10;`), because Java reads `\n` there as the letter n. %nopex: the stack
// was written already, indented.
const MESSAGE = "%replace(%msg){'\\R','&#10;  '}%n%replace(%ex){'(?m)^(?=.)','  '}%nopex";

/** For `.history` files. Throws `invalid_argument` for a name that no pattern can hold. */
export function logbackHistoryPattern(agent: string): string {
  return `${TIME} ${PLACE} ${literal(agent)} ${MESSAGE}`;
}

/** For `.log` files. Throws `invalid_argument` for a name that no pattern can hold. */
export function logbackLogPattern(agent: string): string {
  return `${TIME} %-5level ${PLACE} ${literal(agent)} ${MESSAGE}`;
}

// What a pattern takes as special is escaped; `\_`, its empty sequence, breaks up `${` and `:-`, which logback's reader of
// XML would take for a variable; then XML itself. Tried with logback 1.2.11. That reader has no escape for a lone brace.
function literal(agent: string): string {
  const escaped = checkedAgentName(agent)
    .replace(/[%()]/g, '\\$&')
    .replaceAll('${', '$\\_{')
    .replaceAll(':-', ':\\_-')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
  if (isBalanced(agent)) return escaped;
  throw new BackstoryError(
    'invalid_argument',
    `The agent name ${shownValue(agent)} holds a lone brace, which no logback pattern can hold.`,
    'Give the agent a name whose braces come in pairs, or log through another logger.',
  );
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const unit of text) {
    if (unit === '{') depth++;
    else if (unit === '}' && --depth < 0) return false;
  }
  return depth === 0;
}
