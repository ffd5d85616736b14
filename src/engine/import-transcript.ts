// One transcript from a stream (SES-156): kept below the home as its product would have named it, then read like any other,
// so that what its tools said can be reopened (SRC-21) and the same stream given again changes nothing.
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isAgentId } from '../model/ids.ts';
import { checkNames, checkText, invalidArgument } from '../sessions/page-checks.ts';
import type { SyncOptions } from '../sessions/sync.ts';
import type { SyncReport } from '../sessions/sync-report.ts';
import { sourceNamed } from '../sources/index.ts';
import type { EngineCore } from './core.ts';

export interface ImportTranscriptParams {
  /** The format's name, such as `claude-code`. */
  readonly source: string;
  /** The file's name as its product gave it, such as `<session id>.jsonl`: some formats name the session by it. */
  readonly name: string;
  /** The file's bytes, or its text. */
  readonly stream: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;
  /** Whose history it becomes; default: the format's own agent id (SRC-10). */
  readonly agent?: string;
  readonly signal?: AbortSignal;
}

/** Of the one transcript: imported, unchanged, skippedTotal and failedTotal add up to `found`. */
export type ImportedTranscript = SyncReport['files'] & Pick<SyncReport, 'entries'>;

const NAMES = ['source', 'name', 'stream', 'agent', 'signal'];

/** Throws `source_unknown`, `invalid_argument`, `sync_aborted`, and what the stream throws. */
export async function importTranscript(
  core: EngineCore,
  params: ImportTranscriptParams,
  sync: (options: SyncOptions) => Promise<SyncReport>,
): Promise<ImportedTranscript> {
  checkNames(params, NAMES);
  for (const name of ['source', 'name', 'agent'] as const) checkText(name, params[name]);
  const { source: format, name, stream, agent, signal } = params;
  const source = sourceNamed(format, core.sources);
  const place = typeof name === 'string' && isFileName(name) ? source.transcriptPath?.(name) : undefined;
  if (place === undefined) {
    throw invalidArgument(
      `name ${name === undefined ? 'is missing: there' : JSON.stringify(name)} is no name of a transcript of ${source.name}.`,
      source.transcriptPath === undefined
        ? 'This format keeps no transcript in one file; give its folder to sync as a root.'
        : 'Give the name that the product gave the file, without its folder.',
      { parameter: 'name' },
    );
  }
  if (agent !== undefined && !isAgentId(agent)) {
    throw invalidArgument(`agent ${JSON.stringify(agent)} is no agent id.`, 'Use a–z, 0–9, _ and -, at most 64.', {
      parameter: 'agent',
    });
  }
  if (!isIterable(stream)) {
    throw invalidArgument(
      'stream is nothing that can be read through.',
      'Give a stream, or a list of texts or bytes.',
      {
        parameter: 'stream',
      },
    );
  }
  // A root for each, so that the report is of this one alone.
  const root = join(core.config.home, 'imports', agent ?? source.agentId, source.name, name);
  // Of this call's own: two imports of one name may run at once, and the later one counts.
  const path = join(root, place);
  await written(path, `${path}.${core.newId()}.part`, stream, signal);
  const given = { source: source.name, path: root, ...(agent === undefined ? {} : { agent }) };
  const { files, entries } = await sync({
    sources: [source.name],
    roots: [given],
    onlyGivenRoots: true,
    ...(signal === undefined ? {} : { signal }),
  });
  return { ...files, entries };
}

/** Whole or not at all: a stream that fails leaves what was there before. */
async function written(
  path: string,
  part: string,
  stream: ImportTranscriptParams['stream'],
  signal: AbortSignal | undefined,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(part, 'w', 0o600);
  try {
    for await (const chunk of stream) {
      signal?.throwIfAborted();
      await file.writeFile(chunk);
    }
    await file.sync();
    await file.close();
    await rename(part, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(part, { force: true });
    throw error;
  }
}

function isFileName(name: string): boolean {
  return name.length <= 255 && !/[\\/\0]/.test(name) && name !== '.' && name !== '..';
}

function isIterable(stream: unknown): boolean {
  if (typeof stream !== 'object' || stream === null) return false;
  return Symbol.asyncIterator in stream || Symbol.iterator in stream;
}
