// Patterns for logback that write our lines (RUN-11), as text for the <pattern> element of its XML.
import { checkedAgentName } from './agent-name.ts';

const TIME = '%d{yyyy-MM-dd HH:mm:ss}';
const PLACE = '[%X{episode-state:--}] [%X{conversation-id:--}]';
// A real line feed stands in the replacement (`&#10;`), because Java reads `\n` there as the letter n. %nopex: the stack
// was written already, indented.
const MESSAGE = "%replace(%msg){'\\R','&#10;  '}%n%replace(%ex){'(?m)^(?=.)','  '}%nopex";

/** For `.history` files. Throws `invalid_argument` for no agent name. */
export function logbackHistoryPattern(agent: string): string {
  return `${TIME} ${PLACE} ${literal(agent)} ${MESSAGE}`;
}

/** For `.log` files. Throws `invalid_argument` for no agent name. */
export function logbackLogPattern(agent: string): string {
  return `${TIME} %-5level ${PLACE} ${literal(agent)} ${MESSAGE}`;
}

// First what a pattern takes as special, `\_` being its empty sequence, so that `${` names no variable; then XML.
function literal(agent: string): string {
  return checkedAgentName(agent)
    .replace(/[%()]/g, '\\$&')
    .replaceAll('${', '$\\_{')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
