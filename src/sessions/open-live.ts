// Opens the session that a reader names: as the store has it, or made anew with what its file says of it (SRC-29).
import { importedKey, importedSessionId } from '../model/ids.ts';
import type { SessionRef, Source } from '../sources/contract.ts';
import type { IndexText, SessionRecord, Writing } from '../store/writing.ts';
import { refName } from './batch.ts';
import { Live, UNTIMED } from './live.ts';

export interface ApplyContext {
  readonly agentId: string;
  readonly source: Pick<Source, 'name' | 'branches'>;
  /** Of the file being read: path below the root, and the session it is. */
  readonly file: {
    readonly path: string;
    readonly session: SessionRef;
    readonly archived?: true;
    readonly remainder?: object;
  };
  readonly root: string;
  readonly prepare: (text: string) => IndexText;
  /** The file's modification time: of a session that has no message yet. */
  readonly now: number;
  /** The time of this sync, for sessions whose own file is gone. */
  readonly syncedAt: number;
  /** Sessions that were deleted are taken up anew (SES-174). */
  readonly again?: boolean;
}

export async function openLive(
  writing: Writing,
  context: ApplyContext,
  ref: SessionRef,
  restarted: boolean,
): Promise<Live> {
  const { agentId, source, now } = context;
  const key = importedKey(agentId, ref.native, ref.part);
  const found = await foundAs(writing, context, key);
  const record =
    found ??
    (await writing.createSession({
      key,
      kind: 'imported',
      sessionId: importedSessionId(ref.native, ref.part),
      reason: 'imported',
      createdAt: now,
    }));
  const reset = found && source.branches === 'strict' ? await writing.latestReset(record.no) : undefined;
  // A session without an entry yet has no times of its own.
  const untimed = record.leaf === undefined ? UNTIMED : {};
  const live = new Live({ ...record, ...untimed }, found === undefined, reset);
  if (!found) describe(live, context, ref);
  if (restarted && found) live.seen = new Set();
  return live;
}

async function foundAs(
  writing: Writing,
  { file, prepare }: ApplyContext,
  key: string,
): Promise<SessionRecord | undefined> {
  const found = await writing.session(key);
  if (!found?.origin?.promptsOnly || file.remainder) return found;
  // The file is back, and holds the prompts too.
  await writing.deleteSessions([found.no], prepare);
  return undefined;
}

function describe(live: Live, { agentId, source, file, root, now, syncedAt }: ApplyContext, ref: SessionRef): void {
  const own = refName(ref) === refName(file.session);
  live.change.origin = {
    source: source.name,
    root,
    nativeId: ref.native,
    ...(own ? { file: file.path } : {}),
    ...(own && file.archived ? { archived: true } : {}),
    ...(ref.part === undefined ? {} : { automation: true }),
    ...(file.remainder ? { promptsOnly: true } : {}),
  };
  if (file.remainder) live.change.hostGone = syncedAt;
  if (own && file.archived) live.change.archivedAt = now;
  if (ref.part !== undefined) live.change.spawnedBy = importedKey(agentId, ref.native);
}
