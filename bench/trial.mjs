// One measurement in a process of its own: node bench/trial.mjs NAME '{"…": options}' prints one line of JSON.
import { appendFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openBackstory, operator } from '../dist/index.js';

const [name, json = '{}'] = process.argv.slice(2);
const options = JSON.parse(json);
const caller = operator();

const open = (more = {}) =>
  openBackstory({ home: options.home, host: { env: {}, home: options.user, platform: process.platform }, ...more });

/** `times` runs of `work`, each in ms, ascending. */
async function samples(times, work) {
  const taken = [];
  for (let n = 0; n < times; n++) {
    const start = performance.now();
    await work(n);
    taken.push(performance.now() - start);
  }
  return taken.sort((a, b) => a - b);
}

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
const summary = (sorted) => ({ p50: at(sorted, 0.5), p95: at(sorted, 0.95), max: sorted.at(-1) });

const trials = {
  async firstSync() {
    const backstory = await open();
    const start = performance.now();
    const report = await backstory.sources.sync({ sources: ['claude-code'] });
    const ms = performance.now() - start;
    await backstory.close();
    const rss = process.resourceUsage().maxRSS / 1024;
    return { ms, files: report.files.imported, entries: report.entries.added, mbPerS: options.bytes / ms / 1000, rss };
  },
  async unchangedSync() {
    const backstory = await open();
    await backstory.sources.sync({ sources: ['claude-code'] });
    await backstory.sources.sync({ sources: ['claude-code'] });
    const taken = await samples(15, () => backstory.sources.sync({ sources: ['claude-code'] }));
    await backstory.close();
    return summary(taken);
  },
  async appendToSearchable() {
    const backstory = await open({ sources: { syncOnSearch: true } });
    const folder = join(options.user, '.claude', 'projects');
    const project = join(folder, readdirSync(folder)[0]);
    const file = join(project, readdirSync(project)[0]);
    await backstory.sessions.search(caller, { query: 'warm' });
    const taken = await samples(15, async (n) => {
      const word = `fresh${process.pid}x${n}`;
      const uuid = `0${String(n).padStart(7, '0')}-0000-4000-8000-${String(process.pid).padStart(12, '0')}`;
      const record = {
        parentUuid: null,
        type: 'user',
        message: { role: 'user', content: word },
        uuid,
        timestamp: '2026-06-01T00:00:00Z',
      };
      appendFileSync(file, `${JSON.stringify(record)}\n`);
      const { hits } = await backstory.sessions.search(caller, { query: word });
      if (hits.length !== 1) throw new Error(`${word}: ${hits.length} hits`);
    });
    await backstory.close();
    return summary(taken);
  },
  async queries() {
    const backstory = await open();
    const result = {};
    for (const [label, query, params = {}] of options.queries) {
      const run = (n) => backstory.sessions.search(caller, { query: query.replace('#', String(n % 50)), ...params });
      await run(0);
      await run(1);
      let hits = 0;
      const taken = await samples(options.times ?? 30, async (n) => {
        hits = (await run(n)).hits.length;
      });
      result[label] = { ...summary(taken), hits };
    }
    const first = (await backstory.sessions.search(caller, { query: 'needle3' })).hits[0];
    if (first) {
      const anchored = await samples(50, () =>
        backstory.sessions.history(caller, { session: first.sessionKey, messageId: first.messageId, limit: 7 }),
      );
      result['anchored history'] = { ...summary(anchored), hits: 7 };
    }
    await backstory.close();
    return result;
  },
  async rivalFts5() {
    const { default: Database } = await import('better-sqlite3');
    const source = new Database(options.store, { readonly: true });
    const texts = source.prepare('SELECT text FROM body').pluck().all();
    const db = new Database(':memory:');
    db.exec('CREATE VIRTUAL TABLE t USING fts5(text)');
    const insert = db.prepare('INSERT INTO t (text) VALUES (?)');
    db.transaction(() => {
      for (const text of texts) insert.run(text);
    })();
    const find = db.prepare("SELECT snippet(t, 0, '', '', '…', 40) FROM t WHERE t MATCH ? ORDER BY bm25(t) LIMIT 10");
    const result = {};
    for (const [label, , , match] of options.queries) {
      if (!match) continue;
      find.all(match);
      result[label] = summary(await samples(options.times ?? 30, () => find.all(match)));
    }
    return result;
  },
  async sizes() {
    const { default: Database } = await import('better-sqlite3');
    const db = new Database(options.store, { readonly: true });
    const one = (sql) => db.prepare(sql).pluck().get();
    const text = one('SELECT sum(length(CAST(text AS BLOB))) FROM body');
    const other = one('SELECT count(*) FROM entry WHERE flags & 2 = 0');
    return { text, other, file: statSync(options.store).size, entries: one('SELECT count(*) FROM entry') };
  },
};

console.log(JSON.stringify(await trials[name]()));
