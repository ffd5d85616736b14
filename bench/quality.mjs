// How often a search finds the one message that somebody has in mind: questions are made by a seeded script from real
// transcripts, and asked here and of a plain FTS5 table of the same texts. Prints figures only, never what was read.
// node bench/quality.mjs [--json]   Needs dist/ and the folder BACKSTORY_TEST_DATA.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { seeded } from './corpus.mjs';

const SEED = 20_260_801;
const QUESTIONS = 450;
const KINDS = ['own', 'beside', 'lost'];
const DEPTH = 10;
const MAX_TEXTS = 300;
// What people remember of a message: its words, not its glue.
const GLUE = new Set(
  'the and for that this with you have not but are was can from all will your what use its has now let our then out how'.split(
    ' ',
  ),
);
const WORD = /[\p{L}\p{N}_]{3,}/gu;

/** Resolves to rows of figures, or undefined where the data is not there. */
export async function quality(data) {
  if (!existsSync(join(data, 'claude', 'sessions'))) return undefined;
  const { openBackstory, operator } = await import('../dist/index.js');
  const home = mkdtempSync(join(tmpdir(), 'backstory-quality-'));
  try {
    const backstory = await openBackstory({ home, host: { env: {}, home: join(home, 'nobody'), platform: 'linux' } });
    retold(data, join(home, 'retold'));
    for (const root of [...rootsIn(data), { source: 'claude-code', path: join(home, 'retold') }])
      await backstory.sources.sync({ roots: [root] });
    const caller = operator();
    const messages = await messagesOf(home);
    const questions = questionsFrom(messages);
    const rival = await plainFts5(messages);
    const ours = (params) => async (question) => {
      const { hits } = await backstory.sessions.search(caller, { query: question.typed, limit: DEPTH, ...params });
      return hits.map((hit) => messages.get(`${hit.sessionKey} ${hit.messageId}`)?.text);
    };
    const rows = [];
    // Not spread over sessions: the table beside it is not either.
    const all = ours({ exact: true, perSession: 25 });
    const standard = ours({ perSession: 25 });
    // Where some message holds every word, only those that do are an answer: the others are asked of what remains.
    const open = [];
    for (const question of questions) {
      if (question.kind === 'own' || (await all(question)).length === 0) open.push(question);
    }
    for (const [what, kind, here, there] of [
      ['words of it, out of order; all of them', 'own', all, rival.all],
      ['the same; the default order against OR', 'own', standard, rival.any],
      ['words of it and of a message beside it; relaxed', 'beside', standard, rival.any],
      ['words of it and one that is nowhere; relaxed', 'lost', standard, rival.any],
    ]) {
      const chosen = open.filter((question) => question.kind === kind);
      rows.push({
        what,
        questions: chosen.length,
        ours: await figures(chosen, here),
        rival: await figures(chosen, there),
      });
    }
    await backstory.close();
    rival.close();
    return { messages: messages.size, questions: questions.length, rows };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function rootsIn(data) {
  return [
    { source: 'claude-code', path: join(data, 'claude', 'sessions') },
    { source: 'claude-code', path: join(data, 'claude', 'subagents') },
    { source: 'claude-code', path: join(data, 'claude', 'odd') },
    { source: 'codex', path: join(data, 'codex') },
    { source: 'openclaw', path: join(data, 'openclaw') },
  ].filter(({ path }) => existsSync(path));
}

/**
 * What other agents, tools and people wrote, as the messages of more sessions: messages alone are a percent of the real
 * files, too few to be lost among. One session per file; in a folder that is deleted when the run ends.
 */
function retold(data, folder) {
  mkdirSync(join(folder, 'projects', '-retold'), { recursive: true });
  for (const part of ['claude/sessions', 'pi', 'aider', 'cline', 'swe-agent', 'logs', 'false-positives', 'unicode']) {
    const files = existsSync(join(data, part))
      ? readdirSync(join(data, part), { recursive: true, withFileTypes: true })
      : [];
    for (const file of files.filter((one) => one.isFile()).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(file.parentPath, file.name);
      const id = createHash('sha256')
        .update(relative(data, path))
        .digest('hex')
        .slice(0, 32)
        .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
      const lines = textsIn(readFileSync(path, 'utf8'), /\.(jsonl?|traj)$/.test(file.name))
        .slice(0, MAX_TEXTS)
        .map((content, n) =>
          JSON.stringify({
            parentUuid: null,
            isSidechain: false,
            cwd: '/src/retold',
            sessionId: id,
            version: '2.1.0',
            type: 'user',
            message: { role: 'user', content },
            uuid: `${id.slice(0, 24)}${String(n).padStart(12, '0')}`,
            timestamp: new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString(),
          }),
        );
      if (lines.length > 0) writeFileSync(join(folder, 'projects', '-retold', `${id}.jsonl`), `${lines.join('\n')}\n`);
    }
  }
}

/** Long strings of JSON lines, else paragraphs; at most 2 000 characters each, every one once. */
function textsIn(whole, isJson) {
  const texts = new Set();
  const add = (text) => {
    for (let from = 0; from < text.length; from += 2_000) {
      const piece = text.slice(from, from + 2_000).trim();
      if (piece.length >= 80) texts.add(piece);
    }
  };
  const strings = (value) => {
    if (typeof value === 'string') add(value);
    else if (value !== null && typeof value === 'object') for (const one of Object.values(value)) strings(one);
  };
  if (!isJson) for (const paragraph of whole.split(/\n\s*\n/)) add(paragraph);
  else {
    for (const line of whole.split('\n')) {
      try {
        strings(JSON.parse(line));
      } catch {
        // A line that is no JSON has no string to take.
      }
    }
  }
  return [...texts];
}

/** Texts as they are searched, by session key and message id, each with the one said before it in its session. */
async function messagesOf(home) {
  const { default: Database } = await import('better-sqlite3');
  const messages = new Map();
  for (const name of readdirSync(join(home, 'agents')).filter((file) => file.endsWith('.sqlite'))) {
    const db = new Database(join(home, 'agents', name), { readonly: true });
    const rows = db
      .prepare(
        `SELECT s.key, e.native, b.text, d.flags & 1 AS clean FROM doc d JOIN entry e ON e.id = d.entry JOIN session s ON s.no = e.session
         JOIN body b ON b.entry = e.id WHERE d.flags & 2 = 0 ORDER BY s.no, e.id`,
      )
      .all();
    let before;
    for (const { key, native, text, clean } of rows) {
      const message = { key, text, clean, beside: before?.key === key ? before : undefined };
      messages.set(`${key} ${idOf(native)}`, message);
      before = message;
    }
    db.close();
  }
  // Which session is written first depends on more than the data.
  return new Map([...messages].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function idOf(native) {
  if (typeof native === 'string') return native;
  return native.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Questions with one right answer: a text of eight words or more, which stands nowhere else. */
function questionsFrom(messages) {
  const random = seeded(SEED);
  const counts = new Map();
  for (const { text } of messages.values()) counts.set(text, (counts.get(text) ?? 0) + 1);
  const everywhere = new Set();
  for (const { text } of messages.values()) for (const word of wordsOf(text)) everywhere.add(word);
  const able = [...messages.values()].filter(
    ({ text, clean, beside }) =>
      // What is masked is not found by the words under the mask.
      clean === 1 &&
      counts.get(text) === 1 &&
      wordsOf(text).length >= 8 &&
      beside !== undefined &&
      wordsOf(beside.text).length >= 2,
  );
  const questions = [];
  const used = new Set();
  while (questions.length < QUESTIONS && used.size < able.length) {
    const message = able[Math.floor(random() * able.length)];
    if (used.has(message)) continue;
    used.add(message);
    const kind = KINDS[questions.length % KINDS.length];
    // A stretch of it, of which some words are forgotten and some stand elsewhere.
    const words = wordsOf(message.text);
    const from = Math.floor(random() * Math.max(1, words.length - 9));
    const kept = words.slice(from, from + 9).filter(() => random() < 0.55);
    const asked = [...new Set(kept)];
    if (asked.length < 3) continue;
    if (random() < 0.5) shuffle(asked, random);
    // What is asked for is most of the question.
    if (kind === 'beside')
      for (let n = Math.floor(asked.length / 3); n > 0; n--)
        asked.splice(Math.floor(random() * asked.length), 0, pick(wordsOf(message.beside.text), random));
    if (kind === 'lost') asked.splice(Math.floor(random() * asked.length), 0, nowhere(everywhere, random));
    questions.push({ kind, typed: asked.join(' '), text: message.text });
  }
  return questions;
}

function wordsOf(text) {
  return [...text.matchAll(WORD)].map(([word]) => word).filter((word) => !GLUE.has(word.toLowerCase()));
}

function nowhere(everywhere, random) {
  for (;;) {
    const word = `q${Math.floor(random() * 36 ** 5).toString(36)}z`;
    if (!everywhere.has(word)) return word;
  }
}

function pick(list, random) {
  return list[Math.floor(random() * list.length)];
}

function shuffle(list, random) {
  for (let n = list.length - 1; n > 0; n--) {
    const other = Math.floor(random() * (n + 1));
    [list[n], list[other]] = [list[other], list[n]];
  }
}

/** A table of the same texts with FTS5's own tokenizer and order. */
async function plainFts5(messages) {
  const { default: Database } = await import('better-sqlite3');
  const db = new Database(':memory:');
  db.exec('CREATE VIRTUAL TABLE t USING fts5(text)');
  const insert = db.prepare('INSERT INTO t (text) VALUES (?)');
  const texts = [...new Set([...messages.values()].map(({ text }) => text))];
  for (const text of texts) insert.run(text);
  const find = db.prepare('SELECT text FROM t WHERE t MATCH ? ORDER BY bm25(t), rowid LIMIT ?').pluck();
  const ask = (between) => async (question) =>
    find.all(
      question.typed
        .split(' ')
        .map((word) => `"${word}"`)
        .join(between),
      DEPTH,
    );
  return { all: ask(' AND '), any: ask(' OR '), close: () => db.close() };
}

/** Shares of questions whose text comes first, among the first five, and the mean reciprocal rank to the tenth. */
async function figures(questions, find) {
  let [first, five, reciprocal] = [0, 0, 0];
  for (const question of questions) {
    const rank = (await find(question)).indexOf(question.text) + 1;
    if (rank === 1) first++;
    if (rank > 0 && rank <= 5) five++;
    if (rank > 0) reciprocal += 1 / rank;
  }
  const n = Math.max(1, questions.length);
  return { hit1: first / n, hit5: five / n, mrr: reciprocal / n };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const data = process.env.BACKSTORY_TEST_DATA ?? new URL('../../shared/data', import.meta.url).pathname;
  const result = await quality(data);
  if (result === undefined) console.error('quality: BACKSTORY_TEST_DATA has no claude/sessions; skipped');
  else if (process.argv.includes('--json')) console.log(JSON.stringify(result));
  else {
    console.log(`${result.questions} questions over ${result.messages} messages`);
    const shown = ({ hit1, hit5, mrr }) => [hit1, hit5, mrr].map((value) => value.toFixed(3)).join(' ');
    for (const { what, questions, ours, rival } of result.rows)
      console.log(`${what} (${questions}): ${shown(ours)}  FTS5 ${shown(rival)}`);
  }
}
