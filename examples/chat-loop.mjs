// A chat loop that logs with Backstory's writer and answers from what it finds in its own run files.
// Usage: node examples/chat-loop.mjs RUN_FOLDER EPISODE CONVERSATION   (messages on standard input, one a line)
import { AgentRecordWriter } from 'backstory';
import { AGENT, chatLoop } from './fake-host.mjs';

const [runFolder = 'run', episode = '1', conversation = 'conv-1'] = process.argv.slice(2);

// episode-N/Alice.history, one write for each record. A message that holds line breaks, brackets or a whole false record
// stays one record; an id that no line can hold throws here, before anything is written.
const writer = AgentRecordWriter.open(runFolder, AGENT, { episode: Number(episode) });
const run = writer.in({ state: 'running' });
const here = writer.in({ state: 'running', conversation });

run.history(`has started episode ${episode}.`);
await chatLoop({ runFolder, episode, conversation, log: (record) => here.history(record) });
writer.in({ state: 'completed' }).history(`has completed episode ${episode}.`);
if (writer.failures > 0) process.exitCode = 1;
