// What the doctor tries in a scratch home: a message is written, found, reopened and deleted, as a host does it (SUR-70).
import { type Caller, operator } from '../access/caller.ts';

/** The trial of sessions: what is written is found, read and gone. Throws what is wrong. */
export async function trySessions(
  sessions: {
    append(params: {
      key: string;
      message: { role: 'user'; content: string };
    }): Promise<{ sessionId: string; messageId: string }>;
    search(
      caller: Caller,
      params: { query: string },
    ): Promise<{ hits: readonly { messageId: string; sessionKey: string }[] }>;
    history(
      caller: Caller,
      params: { session: string; messageId: string; sessionId: string },
    ): Promise<{ anchor?: { found: boolean } }>;
    delete(
      caller: Caller,
      params: { key: string },
    ): Promise<{ verified: { rows: number; index: number; file: string } }>;
  },
  word: string,
): Promise<void> {
  const key = 'agent:doctor:main';
  const { sessionId, messageId } = await sessions.append({
    key,
    message: { role: 'user', content: `a trial ${word}` },
  });
  const expect = (isRight: boolean, what: string): void => {
    if (!isRight) throw new Error(what);
  };
  const { hits } = await sessions.search(operator(), { query: word });
  expect(hits.length === 1 && hits[0]?.messageId === messageId, 'what was written is not found');
  const { anchor } = await sessions.history(operator(), { session: key, messageId, sessionId });
  expect(anchor?.found === true, 'what was found cannot be reopened');
  const { verified } = await sessions.delete(operator(), { key });
  expect(verified.rows === 0 && verified.index === 0 && verified.file !== 'found', 'what was deleted is still there');
  expect((await sessions.search(operator(), { query: word })).hits.length === 0, 'what was deleted is still found');
}
