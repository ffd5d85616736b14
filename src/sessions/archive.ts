// Marks a session as put away, or takes the mark back. It stays indexed, searched and readable (SES-57).
import { type HostContext, writeSession } from './host.ts';
import { incognitoRequired } from './incognito.ts';
import { checkFlag, checkNames } from './page-checks.ts';

export interface ArchiveParams {
  readonly key: string;
  /** Default true. */
  readonly archived?: boolean;
}

export interface ArchiveResult {
  readonly sessionKey: string;
  readonly archived: boolean;
}

/** Throws `session_not_found`; `incognito_required` for an incognito session (SES-58). */
export async function archive(context: HostContext, params: ArchiveParams): Promise<ArchiveResult> {
  checkNames(params, ['key', 'archived']);
  const { key, archived = true } = params;
  checkFlag('archived', archived);
  return writeSession(context, { key }, async ({ writing, session, incognito }) => {
    if (incognito) {
      throw incognitoRequired(
        `Session ${JSON.stringify(key)} is incognito, and such sessions are not archived.`,
        'Leave it: it ends with the process.',
      );
    }
    // Archived again, it keeps the time of the first.
    const archivedAt = archived ? (session.archivedAt ?? context.clock.now()) : null;
    await writing.hostUpdate(session.no, { archivedAt });
    return { sessionKey: key, archived };
  });
}
