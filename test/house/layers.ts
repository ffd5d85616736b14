// The rules of ARCHITECTURE.md as code: rows of the layout, owners of packages, size and naming.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Folder (or root file) of src/ → its row; a file may import its own folder and strictly lower rows. */
export const LAYERS: ReadonlyMap<string, number> = new Map([
  ['index', 10],
  // It starts the other two: `serve`, `mcp`.
  ['cli', 9],
  ['http', 8],
  ['mcp', 8],
  ['api', 7],
  ['engine', 6],
  ['retrieval', 5],
  ['sessions', 4],
  ['runs', 4],
  ['episodes', 4],
  ['store/sqlite', 3],
  ['store/postgres', 3],
  ['testing', 3],
  ['store', 2],
  ['files', 2],
  ['sources', 2],
  ['text', 1],
  ['redact', 1],
  ['access', 1],
  ['config', 1],
  ['model', 0],
]);

/** The only imports between neighbours of one row. */
const NEIGHBOURS = new Set(['sources → files']);

/** A package has one owning folder; zod has two, since what agents remember is defined with it too (EPI-100). */
const OWNERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['better-sqlite3', ['store/sqlite']],
  ['pg', ['store/postgres']],
  ['zod', ['api', 'episodes']],
  ['cli-progress', ['cli']],
  ['fzstd', ['sources']],
  ['re2js', ['text']],
  ['hono', ['http']],
  ['@hono/node-server', ['http']],
  ['@modelcontextprotocol/server', ['mcp']],
  ['jiti', ['config']],
]);

const HEAPS = /(^|\/)(utils?|helpers?|common|types|misc)(\.ts$|\/)/;
const MAX_LINES = 300;

/** Path from the project's root → text, for every file of src/. */
export function allSources(): Map<string, string> {
  const files = new Map<string, string>();
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) walk(path);
      else if (entry.name.endsWith('.ts')) files.set(path, readFileSync(join(process.cwd(), path), 'utf8'));
    }
  };
  walk('src');
  return files;
}

/** One line per broken rule. */
export function violationsOf(files: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  for (const [path, text] of files) {
    const own = layerOf(path);
    if (HEAPS.test(path.slice('src/'.length))) found.push(`${path} is a heap: name it for what it holds`);
    const lines = text.replace(/\n$/, '').split('\n').length;
    if (lines > MAX_LINES) found.push(`${path} has ${lines} lines, over ${MAX_LINES}`);
    for (const target of importsOf(text)) {
      const problem = target.startsWith('.') ? problemOfPath(path, own, target) : problemOfPackage(own, target);
      if (problem) found.push(`${path} ${problem}`);
    }
    if (path !== 'src/model/clock.ts') {
      for (const call of text.matchAll(/\b(Date\.now|performance\.now|randomUUID)\(/g)) {
        found.push(`${path} calls ${call[1]}(): take the clock or the id maker as a parameter`);
      }
    }
  }
  return found;
}

function importsOf(text: string): string[] {
  const code = text.replace(/^\s*(\/\/|\*).*$/gm, '');
  const pattern = /(?:\bfrom\s*|\bimport\s*\(\s*|^\s*import\s+)(['"])([^'"\n]+)\1/gm;
  return [...code.matchAll(pattern)].map((match) => match[2]!);
}

function layerOf(path: string): string {
  const parts = path.split('/').slice(1);
  if (parts.length === 1) return parts[0]!.replace(/\.ts$/, '');
  const two = `${parts[0]}/${parts[1]}`;
  return LAYERS.has(two) ? two : parts[0]!;
}

function problemOfPath(path: string, own: string, target: string): string | undefined {
  const other = layerOf(posix.join(posix.dirname(path), target));
  if (other === own) return undefined;
  const row = LAYERS.get(own);
  const otherRow = LAYERS.get(other);
  if (row === undefined || otherRow === undefined) return `imports ${target}: ${own} or ${other} has no row`;
  if (otherRow > row) return `imports upwards: ${own} → ${other}`;
  if (otherRow === row && !NEIGHBOURS.has(`${own} → ${other}`)) return `imports a neighbour: ${own} → ${other}`;
  return undefined;
}

function problemOfPackage(own: string, target: string): string | undefined {
  if (target.startsWith('node:')) return undefined;
  const name = target.startsWith('@') ? target.split('/').slice(0, 2).join('/') : target.split('/')[0]!;
  const owners = OWNERS.get(name);
  if (owners?.includes(own)) return undefined;
  return `imports package ${name}, which ${owners ? `${owners.join(' and ')} owns` : 'no folder owns'}`;
}
