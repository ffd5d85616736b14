// What the model of these examples does, without a network: looks the question up, opens the first hit, and quotes it.
// A real model goes in its place; everything that concerns Backstory is as it would be.

/** The next step after `results`, which are the tools' results so far: `{ call: { name, input } }` or `{ say }`. */
export function nextStep(question, results) {
  const [found, page] = results;
  if (found === undefined) return { call: { name: 'sessions_search', input: { query: question } } };
  const [hit] = found.hits;
  if (hit === undefined) return { say: 'I find nothing about that.' };
  const { sessionKey: session, sessionId, messageId } = hit;
  if (page === undefined) {
    return { call: { name: 'sessions_history', input: { session, sessionId, messageId, limit: 3 } } };
  }
  const said = page.entries.find((entry) => entry.messageId === messageId);
  return { say: `${session}: ${said.blocks.map(({ text }) => text ?? '').join('\n')}` };
}
