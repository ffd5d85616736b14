// Packs the package, installs the tarball into an empty project, and uses it as its users do: the binary, each export, and types.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from './postgres-server.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const work = mkdtempSync(join(tmpdir(), 'backstory-smoke-'));
const run = (command, args, options = {}) =>
  execFileSync(command, args, { cwd: work, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], ...options });

try {
  const [packed] = JSON.parse(
    run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', work], { cwd: root }),
  );
  const names = packed.files.map((file) => file.path);
  for (const name of names) {
    if (/^(test|bench|src|\.ci)\//.test(name)) throw new Error(`the tarball holds ${name}`);
  }
  for (const name of [
    'dist/index.js',
    'dist/index.d.ts',
    'dist/cli/main.js',
    'dist/http/index.js',
    'dist/mcp/index.js',
    'sql/sqlite/0001_sessions.sql',
    'sql/sqlite-memory/0001_memory.sql',
    'sql/sqlite-memory/0002_kinds.sql',
    'sql/sqlite-runs/0001_runs.sql',
    'sql/postgres-memory/0001_memory.sql',
    'sql/postgres-memory/0002_kinds.sql',
    'LICENSE',
    'docs/cli.md',
    'docs/http.md',
    'examples/tools/ai-sdk.mjs',
  ]) {
    if (!names.includes(name)) throw new Error(`the tarball lacks ${name}`);
  }
  writeFileSync(join(work, 'package.json'), JSON.stringify({ name: 'smoke', private: true, type: 'module' }));
  // The native addon is the one that is already compiled here: compiling it again would test node-gyp, not us.
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', join(work, packed.filename)]);
  const addon = ['node_modules', 'better-sqlite3', 'build', 'Release', 'better_sqlite3.node'];
  mkdirSync(join(work, ...addon.slice(0, -1)), { recursive: true });
  cpSync(join(root, ...addon), join(work, ...addon));

  const bin = join(work, 'node_modules', '.bin', 'backstory');
  const demo = run(bin, ['demo', '--json']);
  const { folder } = JSON.parse(demo);
  const home = join(folder, '.backstory');
  const found = JSON.parse(
    run(bin, ['search', 'checkout', '--home', home, '--json'], { env: { ...process.env, HOME: folder } }),
  );
  if (found.hits.length === 0) throw new Error('the demo history has no hit for "checkout"');

  writeFileSync(
    join(work, 'use.ts'),
    `import { openBackstory, operator, type SearchResult } from 'backstory';
import { createApp } from 'backstory/http';
import { mcpServer } from 'backstory/mcp';
import { builtInSources } from 'backstory/sources';
import { storeContract } from 'backstory/testing';
await using backstory = await openBackstory({ home: process.argv[2]! });
const result: SearchResult = await backstory.sessions.search(operator(), { query: 'checkout' });
console.log(JSON.stringify({ hits: result.hits.length, sources: builtInSources.length, suite: typeof storeContract,
  surfaces: typeof createApp + typeof mcpServer, tools: backstory.tools(operator()).length }));
`,
  );
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  run(process.execPath, [
    ...[tsc, '--strict', '--target', 'es2023', '--lib', 'es2023,esnext.disposable', '--module', 'nodenext'],
    ...['--types', 'node', '--typeRoots', join(root, 'node_modules', '@types'), '--skipLibCheck', 'use.ts'],
  ]);
  const used = JSON.parse(run(process.execPath, ['use.js', home]));
  if (
    used.hits === 0 ||
    used.sources < 3 ||
    used.suite !== 'function' ||
    used.surfaces !== 'functionfunction' ||
    used.tools < 3
  )
    throw new Error(JSON.stringify(used));
  writeFileSync(
    join(work, 'later.js'),
    `import { openBackstory, operator } from 'backstory';
let threads = 0;
process.on('worker', () => threads++);
const { sessions, close } = await openBackstory({ home: process.argv[2] });
for (let from = 0; from < 2_000; from += 500) {
  const messages = Array.from({ length: 500 }, (_, n) => ({ role: 'user', content: 'zebra ' + (from + n) }));
  await sessions.appendMany({ key: 'agent:main:later', index: 'later', messages });
}
const { hits } = await sessions.search(operator(), { query: '"zebra 1999"', exact: true, waitMs: 30_000 });
await close();
console.log(JSON.stringify({ hits: hits.length, threads }));
`,
  );
  const later = run(process.execPath, ['later.js', join(work, 'later')]).trim();
  if (later !== '{"hits":1,"threads":1}') throw new Error(`index work on a thread: ${later}`);
  await memoryOnPostgres();
  console.log(
    `ok: ${names.length} files, ${Math.round(packed.size / 1024)} KiB packed; binary, exports, types, the thread for index work and memory on PostgreSQL are fine`,
  );
} finally {
  rmSync(work, { recursive: true, force: true });
}

// pg is no dependency of its own: without it the setting says what to install, with it the memory is on the server.
async function memoryOnPostgres() {
  writeFileSync(
    join(work, 'memory.js'),
    `import { openBackstory } from 'backstory';
const postgres = JSON.parse(process.argv[3]);
const { episodes, close } = await openBackstory({
  home: process.argv[2], memory: { postgres, workspace: 'smoke', episodes: { enabled: true } } });
const memory = await episodes.context({ route: '/r' });
await memory.recorder.run({ input: 'zebra crossing' }, async () => 'done');
// The first run of a process may be queued while it connects.
await memory.recorder.flush();
const told = await memory.recall({ query: 'zebra' }).catch(({ code, hint }) => ({ code, hint }));
await close();
console.log(JSON.stringify(told.records?.map(({ data }) => data.input) ?? told));
`,
  );
  const server = await startServer();
  try {
    const told = () =>
      run(process.execPath, ['memory.js', join(work, 'memory'), JSON.stringify(server.connection())], {
        stdio: ['ignore', 'pipe', 'pipe'],
      }).trim();
    const without = told();
    if (!without.includes('npm install pg')) throw new Error(`without pg: ${without}`);
    run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', 'pg']);
    const found = told();
    if (found !== '["zebra crossing"]') throw new Error(`memory on PostgreSQL: ${found}`);
  } finally {
    await server.stop();
  }
}
