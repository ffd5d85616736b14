// The same chat loop for a host that logs with pino: its lines become the same records, in episode-N/Alice.log.
// Usage: node examples/chat-loop-pino.mjs RUN_FOLDER EPISODE CONVERSATION   (messages on standard input, one a line)
import { AgentRecordWriter, pinoStream } from 'backstory';
import pino from 'pino';
import { AGENT, chatLoop } from './fake-host.mjs';

const [runFolder = 'run', episode = '1', conversation = 'conv-1'] = process.argv.slice(2);

const writer = AgentRecordWriter.open(runFolder, AGENT, { episode: Number(episode) });
const logger = pino({ level: 'debug' }, pinoStream(writer));

// The two fields by which a record belongs to a state and to a conversation; without them it belongs to none.
const run = logger.child({ 'episode-state': 'running' });
const here = run.child({ 'conversation-id': conversation });

run.info(`has started episode ${episode}.`);
await chatLoop({ runFolder, episode, conversation, log: (record) => here.info(record) });
here.debug('what DEBUG and TRACE say is never found');
if (writer.failures > 0) process.exitCode = 1;
