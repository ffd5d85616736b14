// One session with its windows and the command that continues it in its own agent (SES-131, SRC-58). Runs nothing.
import type { CallScope } from '../access/scope.ts';
import { fromKeySegment } from '../model/ids.ts';
import type { SessionRow } from '../model/session.ts';
import { formatInstant } from '../model/time.ts';
import { applyMask } from '../redact/masked.ts';
import type { SessionRef, Source } from '../sources/contract.ts';
import type { SessionInfo } from '../store/reading.ts';
import { linksSeen } from './links-seen.ts';
import { rowOf } from './list.ts';
import { checkNames, checkText, invalidArgument } from './page-checks.ts';
import { lookUpSession, type ReadContext, sessionNameOf, storesFor } from './page-context.ts';
import { type Failed, notFoundAmong, readOne } from './page-snapshots.ts';

export interface DescribeParams {
  /** A key, a session id, `current` or `main`. */
  readonly session: string;
  /** Narrows what the caller may see (VIS-14). */
  readonly scope?: CallScope;
}

export interface DescribeResult extends SessionRow {
  /** Links, only to sessions that the caller may see (VIS-51). */
  readonly parent?: string;
  readonly owner?: string;
  /** Newest first. */
  readonly windows: readonly {
    readonly sessionId: string;
    readonly reason: string;
    readonly from: string;
    readonly to: string;
    readonly entries: number;
  }[];
  /** For a POSIX shell. */
  readonly resume?: string;
}

export interface DescribeContext extends ReadContext {
  readonly sources?: readonly Source[];
}

const MAX_WINDOWS = 200;

/** Throws `session_not_found`, `invalid_argument`. */
export async function describeSession(context: DescribeContext, params: DescribeParams): Promise<DescribeResult> {
  checkNames(params, ['session', 'scope']);
  checkText('session', params.session);
  if (params.session === undefined) {
    throw invalidArgument('session is missing.', 'Give session a key, a session id, current or main.', {
      parameter: 'session',
    });
  }
  const name = sessionNameOf(context.caller, params.session);
  const failed: Failed[] = [];
  for (const store of storesFor(context.stores, name)) {
    const found = await readOne(store, failed, async (reading) => {
      const named = await lookUpSession(reading, store, context.scope, name);
      if (named === undefined) return undefined;
      const { info } = named;
      const windows = await reading.windows(context.scope, info.no, MAX_WINDOWS);
      const linked = await linksSeen(context, [{ store, reading }], [info.spawnedBy, info.parent, info.owner]);
      return { info, windows, linked };
    });
    if (found === undefined) continue;
    const { info, linked } = found;
    const resume = resumeOf(context, info);
    return {
      ...rowOf(context, store.agentId, info, linked),
      ...(info.parent === undefined || !linked.has(info.parent) ? {} : { parent: info.parent }),
      ...(info.owner === undefined || !linked.has(info.owner) ? {} : { owner: info.owner }),
      windows: found.windows.map(({ from, to, ...window }) => ({
        ...window,
        from: formatInstant(from),
        to: formatInstant(to),
      })),
      ...(resume === undefined ? {} : { resume }),
    };
  }
  throw notFoundAmong(name, failed);
}

function resumeOf({ sources = [], masker }: DescribeContext, { key, origin }: SessionInfo): string | undefined {
  // An id that begins with a dash would be an option of the agent's command.
  if (origin?.nativeId === undefined || origin.nativeId.startsWith('-')) return undefined;
  const source = sources.find(({ name }) => name === origin.source);
  // agent:<agent>:<native>, and for a part agent:<agent>:<native>:agent:<part> (SRC-11).
  const part = key.split(':')[4];
  const session: SessionRef = {
    native: origin.nativeId,
    ...(part === undefined ? {} : { part: fromKeySegment(part) }),
  };
  const command = source?.resume?.(session)?.map(quoted).join(' ');
  if (command === undefined) return undefined;
  // Agents look for a session in the folder it was had in. The folder is text: whoever runs the command opens it (SRC-7).
  // One that masking would change is left out: what is shown hides it, and a hidden one leads nowhere (MASK-15).
  const { project } = origin;
  if (project === undefined || applyMask(masker, project) !== project) return command;
  return `cd ${quoted(project)} && ${command}`;
}

/** A word of a command line: as it is when nothing in it means anything to a shell, else between single quotes. */
function quoted(word: string): string {
  const shown = word.replace(/[\u0000-\u001f\u007f-\u009f]/g, '');
  return /^[A-Za-z0-9._/=-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`;
}
