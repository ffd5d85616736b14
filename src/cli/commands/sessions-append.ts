// backstory sessions append: messages from standard input, one per line (SES-27).

import type { AppendedMany } from '../../api/face.ts';
import { execute } from '../../api/operation.ts';
import { sessionsAppend } from '../../api/operations.ts';
import { BackstoryError } from '../../model/errors.ts';
import { answer, EXIT } from '../answer.ts';
import type { Run } from '../command.ts';
import { listedItem } from '../last-list.ts';
import { renderWritten } from '../render/written.ts';
import { withEngine } from '../with-engine.ts';

/** What one call takes at most. */
const AT_ONCE = 10_000;

export const run: Run = (io, parsed) =>
  withEngine(io, parsed, async ({ backstory, caller, home }) => {
    const key = listedItem(home, parsed.operands[0]!).sessionKey;
    const messages = messagesOf(await io.input());
    const given = parsed.value('session');
    const session = given === undefined ? {} : { session: jsonOf(given, '--session') };
    let input: Record<string, unknown> = { ...parsed.input(), ...session, key };
    let result: AppendedMany = { sessionId: '', messages: [] };
    for (let from = 0; from < messages.length; from += AT_ONCE) {
      const part = messages.slice(from, from + AT_ONCE);
      const written = (await execute(sessionsAppend, backstory, caller, { ...input, messages: part })) as AppendedMany;
      result = { sessionId: written.sessionId, messages: [...result.messages, ...written.messages] };
      // Parent, leaf and window are those of the first part.
      const { parentId: _, expectedLeaf: _leaf, ...rest } = input;
      input = { ...rest, sessionId: written.sessionId };
    }
    answer(io, parsed, result, () => renderWritten('sessions_append', result));
    return EXIT.done;
  });

function messagesOf(text: string): readonly unknown[] {
  const lines = text.split('\n').map((line, index) => ({ line: line.trim(), number: index + 1 }));
  const messages = lines.filter(({ line }) => line !== '').map(({ line, number }) => jsonOf(line, `line ${number}`));
  if (messages.length > 0) return messages;
  throw new BackstoryError(
    'invalid_argument',
    'Standard input holds no message.',
    'Give one message per line: {"role": "user", "content": "…"}.',
  );
}

function jsonOf(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BackstoryError(
      'invalid_argument',
      `${what} is not JSON.`,
      'Give one JSON object per line, such as {"role": "user", "content": "…"}.',
    );
  }
}
