// Makes the histories that benchmarks read: real transcripts multiplied, and a seeded synthetic one. Same seed, same bytes.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** A generator of numbers in [0, 1), the same on every machine (mulberry32). */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * Real Claude Code sessions of `data`, multiplied under `folder` until they hold `megabytes`. Every multiple has ids of
 * its own (same length), so that none is taken for a copy of another.
 */
export function multiplyReal(data, folder, megabytes) {
  const sources = join(data, 'claude', 'sessions');
  const files = readdirSync(sources)
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(sources, name), 'utf8') }));
  return fill(folder, megabytes, (write, n) => {
    for (const { name, text } of files) {
      const own = n === 0 ? text : text.replace(UUID, (id) => otherId(id, n));
      write(`project-${n % 20}`, `${n}-${name}`, own);
    }
  });
}

/**
 * A synthetic history: `sessions` sessions of `messages` messages of about 370 characters of Zipf prose, in Claude
 * Code's format, with planted words: `needle<k>` once each, `qone` in 1 %, `qten` in 10 %, `qall` in 97 % of messages,
 * `alphax` and `betax` in 2 % each.
 */
export function synthetic(folder, { sessions, messages, seed = 1 }) {
  const random = seeded(seed);
  const words = Array.from({ length: 20_000 }, (_, index) => word(index));
  const zipf = () => words[Math.floor(words.length ** random()) - 1];
  let needle = 0;
  let total = 0;
  mkdirSync(folder, { recursive: true });
  const start = Date.UTC(2026, 0, 1);
  for (let s = 0; s < sessions; s++) {
    const id = otherId('00000000-0000-4000-8000-000000000000', s + seed * 1_000_000);
    const lines = [];
    let parent = null;
    for (let m = 0; m < messages; m++) {
      const text = Array.from({ length: 56 }, zipf);
      const plant = (w) => text.splice(Math.floor(random() * text.length), 0, w);
      if (random() < 0.97) plant('qall');
      if (random() < 0.1) plant('qten');
      if (random() < 0.01) plant('qone');
      if (random() < 0.02) plant('alphax');
      if (random() < 0.02) plant('betax');
      if (m === 0 && s % 10 === 0) plant(`needle${needle++}`);
      const uuid = otherId(id, m + 1);
      const user = m % 2 === 0;
      const content = text.join(' ');
      lines.push(
        JSON.stringify({
          parentUuid: parent,
          isSidechain: false,
          cwd: `/src/project-${s % 40}`,
          sessionId: id,
          version: '2.1.0',
          type: user ? 'user' : 'assistant',
          message: user
            ? { role: 'user', content }
            : { id: `msg_${uuid}`, role: 'assistant', model: 'm', content: [{ type: 'text', text: content }] },
          uuid,
          timestamp: new Date(start + (s * messages + m) * 1_000).toISOString(),
        }),
      );
      parent = uuid;
      total++;
    }
    const project = join(folder, 'projects', `-src-project-${s % 40}`);
    mkdirSync(project, { recursive: true });
    writeFileSync(join(project, `${id}.jsonl`), `${lines.join('\n')}\n`);
  }
  return { messages: total, needles: needle };
}

function fill(folder, megabytes, once) {
  rmSync(folder, { recursive: true, force: true });
  let bytes = 0;
  let files = 0;
  const write = (project, name, text) => {
    const into = join(folder, 'projects', project);
    if (!existsSync(into)) mkdirSync(into, { recursive: true });
    writeFileSync(join(into, name), text);
    bytes += Buffer.byteLength(text);
    files++;
  };
  for (let n = 0; bytes < megabytes * 1_000_000; n++) once(write, n);
  return { bytes, files };
}

function otherId(id, n) {
  const hex = createHash('sha256').update(`${id} ${n}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function word(index) {
  const syllables = [
    'ka',
    'lo',
    'mi',
    'ter',
    'na',
    'su',
    'pe',
    'ran',
    'do',
    'vi',
    'sho',
    'le',
    'bri',
    'tu',
    'gan',
    'ze',
  ];
  let text = '';
  for (let rest = index + 16; rest > 0; rest = Math.floor(rest / 16)) text += syllables[rest % 16];
  return text;
}
