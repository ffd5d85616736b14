// What a reader must keep to, as checks that a third party runs on its own files (SRC-6).
import { type BigIntStats, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../model/clock.ts';
import type { EntryKind, EntrySink, Instance, PlannedFile, ReadOptions, Source, SourceEntry } from './contract.ts';

export interface CheckOptions {
  /** A folder with files of the format, as its product lays them out. It is only read. */
  readonly root: string;
  readonly clock: Clock;
  /** For formats that are databases. */
  readonly openDatabase?: ReadOptions['openDatabase'];
}

const KINDS: Readonly<Record<EntryKind, true>> = {
  prompt: true,
  answer: true,
  'tool-call': true,
  'tool-result': true,
  thinking: true,
  summary: true,
  injected: true,
  image: true,
};
const MAX_REOPENED = 20;

/** One line per broken rule, with the rule's number; none: the reader keeps to the contract on these files. */
export async function checkSource(source: Source, options: CheckOptions): Promise<string[]> {
  const broken: string[] = [];
  const before = treeOf(options.root);
  const missing = join(options.root, 'there-is-no-such-folder');
  const none = await source.discover(HOST, [{ path: missing }]);
  if (!none.some((found) => 'problem' in found && found.root === missing && found.problem === 'root_not_found')) {
    broken.push('SRC-3: a given root that does not exist is not reported as root_not_found');
  }
  const found = await source.discover(HOST, [{ path: options.root }]);
  const instances = found.flatMap((one) => ('instance' in one && one.instance.how === 'given' ? [one.instance] : []));
  if (instances.length === 0) broken.push('SRC-1: discover gives no instance for the root');
  for (const instance of instances) {
    if (realpathSync(instance.root) !== instance.root) broken.push(`SRC-9: ${instance.root} is not a real path`);
    await checkInstance(source, instance, options, broken);
  }
  if (treeOf(options.root) !== before) broken.push('SRC-1: something below the root was changed');
  return broken;
}

const HOST = { env: {}, home: '/nonexistent-home', platform: process.platform } as const;

async function checkInstance(
  source: Source,
  instance: Instance,
  options: CheckOptions,
  broken: string[],
): Promise<void> {
  const { files } = await source.plan(instance);
  if (files.length === 0) broken.push('SRC-4: plan gives no file of the root');
  if (new Set(files.map(({ path }) => path)).size < files.length) broken.push('SRC-1: plan gives a path twice');
  for (const file of files) {
    const tell = (what: string): void => {
      broken.push(`${what} (${file.path})`);
    };
    const fast = await readWith(source, instance, file, options, { parse: 'fast', state: undefined });
    if (fast.outcome === 'skipped' || fast.outcome === 'gone') continue;
    if (fast.state === undefined) {
      tell('SRC-42: read without a commit');
      continue;
    }
    for (const entry of fast.entries) checkEntry(entry, tell);
    const full = await readWith(source, instance, file, options, { parse: 'full', state: undefined });
    if (full.log !== fast.log) tell('SRC-63: the slow path gives other entries, ids, pointers or counts');
    const again = await readWith(source, instance, file, options, { parse: 'fast', state: fast.state });
    if (again.outcome !== 'same' || again.entries.length > 0) tell('SRC-43: a file that did not change is read again');
    await checkPointers(source, instance, file, options, fast.entries, tell);
  }
}

function checkEntry(entry: SourceEntry, tell: (what: string) => void): void {
  const { session, id, kind, at, text, tool, pointer } = entry;
  if (session.native === '' || id === '') tell('SRC-13: an entry without a session or an id');
  if (!Object.hasOwn(KINDS, kind)) tell(`an entry of unknown kind ${JSON.stringify(kind)}`);
  if (!Number.isSafeInteger(at)) tell('SRC-28: an entry without a time in milliseconds');
  if (text !== undefined && !text.isWellFormed()) tell('SES-22: a text with a lone surrogate');
  const isText = kind === 'prompt' || kind === 'answer' || kind === 'summary' || kind === 'injected';
  if (isText && text === undefined) tell(`SRC-20: an entry of kind ${kind} without its text`);
  if ((kind === 'tool-call' || kind === 'tool-result') && !tool) tell(`an entry of kind ${kind} without its tool`);
  if (!/^[0-9a-f]{16}$/.test(pointer.digest)) tell('SRC-21: a digest is 16 hex digits');
}

async function checkPointers(
  source: Source,
  instance: Instance,
  file: PlannedFile,
  options: CheckOptions,
  entries: readonly SourceEntry[],
  tell: (what: string) => void,
): Promise<void> {
  const open = options.openDatabase ?? noDatabase;
  const pointed = entries.filter(({ kind }) => kind === 'tool-result' || kind === 'thinking').slice(0, MAX_REOPENED);
  for (const { pointer } of pointed) {
    const reopened = await source.reopen(file.absolute, pointer, [file.linked ?? instance.root], open);
    if (!('value' in reopened)) tell(`SRC-21: a pointer cannot be reopened: ${reopened.reason}`);
    const outside = await source.reopen(file.absolute, pointer, [], open);
    if ('value' in outside) tell('SRC-22: a pointer is reopened outside the configured roots');
  }
}

interface Read {
  readonly outcome: string;
  readonly state: Uint8Array | undefined;
  readonly entries: readonly SourceEntry[];
  readonly log: string;
}

async function readWith(
  source: Source,
  instance: Instance,
  file: PlannedFile,
  options: CheckOptions,
  how: Pick<ReadOptions, 'parse' | 'state'>,
): Promise<Read> {
  const entries: SourceEntry[] = [];
  const log: unknown[] = [];
  let state: Uint8Array | undefined;
  const note = (...what: unknown[]): void => {
    log.push(what);
  };
  const sink: EntrySink = {
    entry(entry) {
      entries.push(entry);
      note('entry', entry);
    },
    link: (...what) => note('link', ...what),
    mark: (...what) => note('mark', ...what),
    facts: (...what) => note('facts', ...what),
    retract: (...what) => note('retract', ...what),
    count: (...what) => note('count', ...what),
    restart: () => note('restart'),
    commit(given) {
      state = given;
    },
    rollback: () => {},
  };
  const openDatabase = options.openDatabase ?? noDatabase;
  const { clock } = options;
  const outcome = await source.read(instance, file, { ...how, toolInputChars: 2_000, clock, openDatabase }, sink);
  return { outcome: outcome.kind, state, entries, log: JSON.stringify(log) };
}

function noDatabase(): never {
  throw new Error('checkSource was given no openDatabase');
}

// Names, sizes and times of all there is.
function treeOf(root: string): string {
  const told = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => [name, lstatSync(join(root, name), { bigint: true })] as const);
  return told.map(([name, stat]: readonly [string, BigIntStats]) => `${name} ${stat.size} ${stat.mtimeNs}`).join('\n');
}
