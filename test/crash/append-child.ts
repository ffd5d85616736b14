// A process of its own that writes as a host does, until it is done or killed. Prints a line per step that resolved.
import { existsSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { operator } from '../../src/access/caller.ts';
import { openBackstory } from '../../src/engine/engine.ts';

const [home = '', mode = '', name = '', barrier = ''] = process.argv.slice(2);
const { sessions, close } = await openBackstory({ home, host: { env: {}, home, platform: process.platform } });
const key = 'agent:main:crash';
const say = (line: unknown): void => void writeSync(1, `${JSON.stringify(line)}\n`);
const text = (content: string, more: object = {}) => ({ role: 'user', content, ...more }) as const;

// All begin together: each opened its store before.
await sessions.append({ key: 'agent:main:begin', message: text('begin') });
say('ready');
while (barrier !== '' && !existsSync(barrier)) await sleep(2);

if (mode === 'append') {
  for (let n = 0; ; n++) {
    await sessions.append({ key, message: text(`kestrel word${n}`, { id: `${name}-${n}` }) });
    say(n);
  }
} else if (mode === 'fifty') {
  for (let n = 0; n < 50; n++) {
    const id = `${name}-${n}`;
    await sessions.append({ key, message: text(`kestrel ${id}`, { id }) });
  }
} else if (mode === 'same') {
  say(await sessions.append({ key, message: text('kestrel'), idempotencyKey: 'one' }));
} else if (mode === 'moves') {
  for (let n = 0; ; n++) {
    const { messageId } = await sessions.append({ key, message: text(`kestrel word${n}`) });
    await sessions.append({ key, message: text(`kestrel gone${n}`) });
    await sessions.rewind({ key, to: messageId });
    if (n % 5 === 4) await sessions.reset({ key, keep: 2 });
    say(n);
  }
} else if (mode === 'delete') {
  await sessions.delete(operator(), { key });
  say('deleted');
}
await close();
