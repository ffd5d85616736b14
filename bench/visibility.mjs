// What deciding who sees what costs (VIS-45), and what 600 agents cost (SES-208). Needs dist/ (npm run build).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SESSIONS = 1_000;
const MESSAGES = 20;
const AGENTS = 600;
const ROUNDS = 60;
const START = Date.UTC(2026, 8, 1);
const X = 'agent:desk:main';
const caller = { agentId: 'desk', sessionKey: X };

/** Resolves to the figures, and prints them. Milliseconds; overheads in percent of the same search without a scope. */
export async function run() {
  const { openBackstory } = await import('../dist/engine/engine.js');
  const { openSqliteStores } = await import('../dist/store/sqlite/store-set.js');
  const { conditionIn, descendantsIn, scopeFor, withReach } = await import('../dist/access/scope.js');
  const { TOKENIZER_ID } = await import('../dist/text/index.js');
  const { maskerFor } = await import('../dist/redact/settings.js');
  const fingerprint = `${TOKENIZER_ID} ${maskerFor({}).fingerprint}`;
  const folder = mkdtempSync(join(tmpdir(), 'backstory-bench-'));
  const figures = {};
  const note = (name, value) => {
    figures[name] = value;
    console.log(`${name.padEnd(56)} ${value}`);
  };
  const open = (home, visibility = {}) =>
    openBackstory({ home, visibility, host: { env: {}, home, platform: process.platform } });
  try {
    const one = join(folder, 'one');
    await fill(openSqliteStores, one, fingerprint, ['desk'], SESSIONS, MESSAGES);
    for (const [word, query] of [
      ['a rare word', 'rare7'],
      ['a word in 10 %', 'some'],
      ['a word in all', 'lease'],
    ]) {
      const engine = await open(one, { visibility: 'all' });
      const views = {
        'no scope': { operator: true },
        'all visible': caller,
        'all visible, as descendants': { ...caller, sandboxed: true },
      };
      const times = await alternating(
        Object.fromEntries(
          Object.entries(views).map(([name, who]) => [name, () => engine.sessions.search(who, { query, limit: 10 })]),
        ),
      );
      await engine.close();
      const base = times['no scope'];
      note(`search, ${word}, no scope, ms`, base.toFixed(2));
      for (const name of ['all visible', 'all visible, as descendants']) {
        note(`  ${name}, %`, `${(((times[name] - base) / base) * 100).toFixed(0)} (${times[name].toFixed(2)} ms)`);
      }
    }

    const many = join(folder, 'many');
    const agents = ['desk', ...Array.from({ length: AGENTS - 1 }, (_, n) => `lab-${n}`)];
    await fill(openSqliteStores, many, fingerprint, agents, SESSIONS, 2);
    const stores = openSqliteStores({ folder: join(many, 'agents'), catalogue: join(many, 'catalogue.db') });
    const make = async () => {
      const scope = scopeFor(caller, { visibility: 'tree' });
      const reached = withReach(scope, await stores.reach(descendantsIn(scope)));
      return agents.filter((agent) => conditionIn(reached, agent).kind !== 'nothing').length;
    };
    const began = performance.now();
    note('stores in a scope of 1 000 descendants', await make());
    note('  the first scope, which makes the catalogue, ms', (performance.now() - began).toFixed(0));
    note('  later ones, ms', (await alternating({ make })).make.toFixed(2));
    await stores.close();

    const opened = performance.now();
    const engine = await open(many);
    note('600 agents: opening, ms', (performance.now() - opened).toFixed(1));
    for (const [name, query] of [
      ['first search', 'lease'],
      ['second search', 'rare7'],
    ]) {
      const started = performance.now();
      await engine.sessions.search(caller, { query });
      note(`  ${name}, ms`, (performance.now() - started).toFixed(0));
    }
    const later = await alternating({ later: () => engine.sessions.search(caller, { query: 'rare7' }) }, 8);
    note('  later ones, ms', later.later.toFixed(0));
    await engine.close();
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Sessions shared out among the agents in turn; each hangs from X, across agents as an ACP session does. */
async function fill(openSqliteStores, home, fingerprint, agents, sessions, messages) {
  const stores = openSqliteStores({ folder: join(home, 'agents'), catalogue: join(home, 'catalogue.db') });
  const plain = (text) => ({ masked: text, clean: true });
  for (const [turn, agent] of agents.entries()) {
    const store = await stores.open(agent, { create: true });
    await store.write(async (writing) => {
      await writing.setMeta('index', fingerprint);
      for (let n = turn; n < sessions; n += agents.length) {
        const key = n === 0 ? X : `agent:${agent}:acp:s${n}`;
        const kind = n === 0 ? 'main' : 'acp';
        const parent = n === 0 ? {} : { spawnedBy: X };
        const made = await writing.hostCreate({ key, kind, sessionId: `w-${n}`, createdAt: START + n, ...parent });
        const entries = [];
        for (let m = 0; m < messages; m++) {
          const place = n * messages + m;
          const words = ['lease of the harbour office', place % 10 === 0 ? 'some' : 'none', `rare${place % 2_000}`];
          entries.push(
            await writing.insert({
              session: made.no,
              window: made.window,
              kind: 'message',
              role: m % 2 === 0 ? 'user' : 'assistant',
              state: 'active',
              at: START + place * 1_000,
              messageId: `m-${place}`,
              blocks: [{ type: 'text', text: words.join(' ') }],
            }),
          );
        }
        await writing.index(entries, plain);
        await writing.hostUpdate(made.no, { lastAt: START + n * messages * 1_000, messagesAdded: messages });
      }
    });
  }
  await stores.close();
}

/** Medians of works that take turns, so that what else the machine does falls on all of them alike. */
async function alternating(works, rounds = ROUNDS) {
  const times = Object.fromEntries(Object.keys(works).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, work] of Object.entries(works)) {
      const started = performance.now();
      await work();
      if (round >= 2) times[name].push(performance.now() - started);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
}

function median(list) {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
}

if (import.meta.url === `file://${process.argv[1]}`) await run();
