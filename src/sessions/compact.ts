// Writes a summary for the host's model; what it sums up stays on the branch, in history and in the index (SES-55).
import { applyMask } from '../redact/masked.ts';
import { asLeaf, type Conditions, checkConditionNames, type HostContext, writeSession } from './host.ts';
import { markerEntry, targetNotOnBranch } from './host-markers.ts';
import { checkNames, checkText, invalidArgument } from './page-checks.ts';

export interface CompactParams extends Conditions {
  readonly key: string;
  readonly summary: string;
  /** The first message of the branch that the summary does not stand for. */
  readonly firstKept?: string;
}

export interface CompactResult {
  readonly entryId: string;
  readonly sessionId: string;
}

const MAX_SUMMARY = 1024 * 1024;

/** Never moves the reset boundary. Throws `session_not_found`, `target_not_on_branch`, and the conflicts of SES-26. */
export async function compact(context: HostContext, params: CompactParams): Promise<CompactResult> {
  checkNames(params, ['key', 'summary', 'firstKept', 'sessionId', 'expectedLeaf']);
  const { firstKept } = params;
  checkText('summary', params.summary ?? null);
  checkText('firstKept', firstKept);
  checkConditionNames(params);
  if (params.summary.length > MAX_SUMMARY) {
    throw invalidArgument(
      `summary is ${params.summary.length} characters long.`,
      `Give summary at most ${MAX_SUMMARY}.`,
      { parameter: 'summary', limit: MAX_SUMMARY },
    );
  }
  const text = params.summary.toWellFormed();
  const summary = context.maskAtRest ? applyMask(context.masker, text) : text;
  return writeSession(context, params, async ({ writing, session }) => {
    if (firstKept !== undefined) {
      const named = await writing.entryNamed(session.no, firstKept);
      if (named === undefined || named.state === 'side') throw targetNotOnBranch('firstKept', firstKept);
    }
    const entryId = context.newId();
    const now = context.clock.now();
    const marker = markerEntry(session, session.window, 'compaction', now, entryId, undefined);
    const entry = await writing.hostInsert({
      ...marker,
      blocks: [
        ...(firstKept === undefined ? [] : [{ type: 'data', host: JSON.stringify({ firstKept }) } as const]),
        { type: 'text', text: summary },
      ],
    });
    await writing.hostUpdate(session.no, asLeaf(session, entry, now));
    return { entryId, sessionId: session.sessionId };
  });
}
