// What both chat loops share: a host's own sense of its records, a model that only quotes, and the loop itself.
// A real host has a real model here; everything that concerns Backstory is as it would be.
import { createInterface } from 'node:readline';
import {
  ChatKnowledgeBinding,
  ChatRetrievalContext,
  IncrementalTextFilesRetriever,
  Masker,
  Reading,
  RetrievalEngine,
} from 'backstory';

export const AGENT = 'Alice';

/** How this host writes a message: by whom, then the text. */
export const toldRecord = (text) => `told: ${text}`;
export const saidRecord = (text) => `said: ${text}`;

/** What those records mean. Everything else, such as "has started episode 3.", is a note. */
const interpreter = {
  version: '1',
  read(_file, _line, { text }) {
    if (text.startsWith('told: ')) return Reading.told(text.slice(6));
    if (text.startsWith('said: ')) return Reading.said(text.slice(6));
    return Reading.note(text);
  },
};

/**
 * Answers every line of standard input on standard output. `log(record)` writes one record of the conversation.
 * The run serves one user, so other episodes are searched too; a host with several users sets RunScope.EPISODE.
 */
export async function chatLoop({ runFolder, episode, conversation, log }) {
  const retriever = IncrementalTextFilesRetriever.builder(runFolder, AGENT)
    .interpreter(interpreter)
    .masker(Masker.hidingOutside(runFolder))
    .build();
  const agent = { name: AGENT };
  const engine = new RetrievalEngine();
  engine.bind(ChatKnowledgeBinding.undeclared(agent, AGENT, 'agent-files', 3, retriever));

  try {
    for await (const turn of createInterface({ input: process.stdin })) {
      log(toldRecord(turn));
      const context = new ChatRetrievalContext({
        turnMessage: turn,
        conversationId: conversation,
        metadataFilters: { [ChatRetrievalContext.CURRENT_EPISODE_FILTER]: `episode-${episode}` },
      });
      const [{ evidence, error }] = await engine.retrieve(agent, AGENT, turn, context);
      if (error) throw error;
      const answer = fakeModel(turn, evidence);
      log(saidRecord(answer));
      console.log(answer);
    }
  } finally {
    await retriever.close();
  }
}

// Quotes what it was given, best first, and invents nothing.
function fakeModel(_turn, evidence) {
  const told = evidence.filter(({ kind }) => kind === 'told');
  if (told.length === 0) return 'I have nothing on that yet.';
  return told.map(({ text, file, line }) => `You told me: "${text}" (${file}:${line})`).join('\n');
}
