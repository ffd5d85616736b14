// One agent's history and memory as an archive, and back (SUR-72): who may, where it goes, and what memory is asked.
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { assertUnbound, type Caller } from '../access/caller.ts';
import { barriersOf } from '../episodes/namespace.ts';
import { searchedText } from '../episodes/record-text.ts';
import { BackstoryError } from '../model/errors.ts';
import { isAgentId } from '../model/ids.ts';
import { type ArchiveOutput, exportArchive } from '../sessions/archive-export.ts';
import { openArchive } from '../sessions/archive-file.ts';
import type { Counts } from '../sessions/archive-format.ts';
import { importArchive } from '../sessions/archive-import.ts';
import { checkFlag, checkNames, checkText, invalidArgument } from '../sessions/page-checks.ts';
import type { ArchivedRecord } from '../store/archive.ts';
import type { StoreSet } from '../store/contract.ts';
import type { MemoryStores, MemoryWriting } from '../store/memory.ts';
import type { EngineCore } from './core.ts';

export interface ExportParams {
  /** Default `main`. */
  readonly agent?: string;
  /** Texts as they were stored, which only then come back as they were. Default: masked. */
  readonly raw?: boolean;
  /** A file, which is there when all of it is, readable by its owner only. Absent: `output` takes the lines. */
  readonly out?: string;
}

export interface ExportOptions {
  readonly output?: ArchiveOutput;
  readonly signal?: AbortSignal;
}

export interface ExportResult {
  readonly agent: string;
  readonly raw: boolean;
  readonly counts: Counts;
  readonly bytes: number;
  /** Of all lines before the last. */
  readonly sha256: string;
  readonly out?: string;
}

export interface ImportArchiveParams {
  readonly file: string;
}

export interface ImportArchiveOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ArchiveProgress) => void;
}

/** As every progress of a surface is. */
export interface ArchiveProgress {
  readonly source: string;
  readonly filesDone: number;
  readonly filesTotal: number;
  readonly bytesDone: number;
  readonly bytesTotal: number;
}

export interface ImportArchiveResult {
  readonly agent: string;
  readonly raw: boolean;
  readonly sha256: string;
  /** `kept`: were there. `erased`: were deleted here, and stay so. `taken`: another session has their session id. */
  readonly sessions: {
    readonly imported: number;
    readonly kept: number;
    readonly erased: number;
    readonly taken: number;
  };
  readonly entries: number;
  readonly records: { readonly imported: number; readonly kept: number };
}

export interface ArchiveFace {
  export(caller: Caller, params?: ExportParams, options?: ExportOptions): Promise<ExportResult>;
  importArchive(
    caller: Caller,
    params: ImportArchiveParams,
    options?: ImportArchiveOptions,
  ): Promise<ImportArchiveResult>;
}

/** `stores`: of sessions, such that deletions in them go on. */
export function archiveFace(core: EngineCore, stores: StoreSet, memories: MemoryStores): ArchiveFace {
  return {
    async export(caller, params = {}, { output, signal } = {}) {
      core.assertOpen('export');
      assertUnbound(caller, 'export');
      checkNames(params, ['agent', 'raw', 'out']);
      const { agent = 'main', raw = false, out } = params;
      checkFlag('raw', raw);
      checkText('out', out);
      if (!isAgentId(agent)) {
        throw invalidArgument(`agent is ${JSON.stringify(agent)}.`, 'Give agent an agent id.', { parameter: 'agent' });
      }
      const sessions = await stores.open(agent);
      const memory = await memories.open(agent);
      if (sessions === undefined && memory === undefined) {
        throw new BackstoryError('not_found', `There is no agent ${agent} here.`, 'backstory stats names the agents.');
      }
      const made = (write: ArchiveOutput): ReturnType<typeof exportArchive> =>
        exportArchive({
          agent,
          masker: raw ? undefined : core.masker,
          sessions,
          memory: memory && ((work) => memory.read(work)),
          output: write,
          ...(signal === undefined ? {} : { signal }),
        });
      if (out !== undefined) return { agent, raw, ...(await intoFile(out, made)), out };
      if (output !== undefined) return { agent, raw, ...(await made(output)) };
      throw invalidArgument('export has nowhere to write to.', 'Give out a file, or an output.', { parameter: 'out' });
    },
    async importArchive(caller, params, { signal, onProgress } = {}) {
      core.assertOpen('importArchive');
      assertUnbound(caller, 'import_archive');
      checkNames(params, ['file']);
      checkText('file', params.file);
      if (params.file === undefined)
        throw invalidArgument('file is missing.', 'Give file a path.', { parameter: 'file' });
      const file = await openArchive(params.file);
      try {
        const bytesTotal = 2 * (await file.stat()).size;
        const { archive, ...done } = await importArchive(
          {
            clock: core.clock,
            prepare: core.prepare,
            fingerprint: core.fingerprint,
            storeOf: async (agent) => (await stores.open(agent, { create: true }))!,
            remember: (agent, records) => remember(core, memories, agent, records),
            ...(signal === undefined ? {} : { signal }),
            onBytes: (bytesDone) =>
              onProgress?.({ source: 'archive', filesDone: 0, filesTotal: 1, bytesDone, bytesTotal }),
          },
          file,
        );
        return { agent: archive.head.agent, raw: archive.head.raw, sha256: archive.sha256, ...done };
      } finally {
        await file.close();
      }
    },
  };
}

// Under another name until it is whole: a file of the name asked for is an archive that can be imported.
async function intoFile<T>(out: string, made: (write: ArchiveOutput) => Promise<T>): Promise<T> {
  const partial = `${out}.${randomBytes(4).toString('hex')}.partial`;
  let file: FileHandle | undefined;
  try {
    file = await open(partial, 'wx', 0o600);
    const written = file;
    const done = await made((text) => written.appendFile(text));
    await file.sync();
    await file.close();
    await rename(partial, out);
    return done;
  } catch (error) {
    await file?.close().catch(() => undefined);
    await rm(partial, { force: true });
    const code = (error as NodeJS.ErrnoException).code;
    if (error instanceof BackstoryError || typeof code !== 'string' || !/^E[A-Z]+$/.test(code)) throw error;
    throw invalidArgument(`out is ${out}, which cannot be written (${code}).`, 'Check the folder and its mode.', {
      parameter: 'out',
    });
  }
}

async function remember(
  core: EngineCore,
  memories: MemoryStores,
  agent: string,
  records: readonly ArchivedRecord[],
): Promise<number> {
  const memory = (await memories.open(agent, { create: true }))!;
  return memory.write(async (writing) => {
    let taken = 0;
    for (const one of records) if (await rememberOne(core, writing, one)) taken++;
    return taken;
  });
}

/** False: it is there, or another active fact says the same, or it was erased here (EPI-135). */
async function rememberOne(core: EngineCore, writing: MemoryWriting, archived: ArchivedRecord): Promise<boolean> {
  const { record, identity, traces } = archived;
  const at = Date.parse(record.createdAt);
  const { threadId, runId } = record.source.type === 'run' ? record.data : record.source;
  const named = (id: unknown): string | undefined => (typeof id === 'string' ? id : undefined);
  const barrier = await writing.barrier(() => barriersOf(record.namespace, named(threadId), named(runId)));
  if (barrier !== undefined && at <= barrier) return false;
  if (identity !== undefined && record.status === 'active') {
    const namespace = await writing.namespace(record.namespace);
    if (namespace !== undefined && (await writing.fact(namespace.no, identity)) !== undefined) return false;
  }
  const text = searchedText(record, core.masker);
  return writing.insert({ record, text, traces, ...(identity === undefined ? {} : { identity }) });
}
