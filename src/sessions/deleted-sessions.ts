// What a person deleted does not come back with the next sync, wherever its transcript lies now (SES-174).
import { importedKey } from '../model/ids.ts';
import type { Writing } from '../store/writing.ts';
import { type Op, refName } from './batch.ts';

/** The outcome of a file whose session was deleted. */
export const DELETED = 'erased_by_user';

/** Leaves out what a reader gives of deleted sessions; with `again` they are taken up anew. */
export class DeletedSessions {
  readonly #agentId: string;
  readonly #again: boolean;
  readonly #known = new Map<string, boolean>();

  constructor(agentId: string, again: boolean) {
    this.#agentId = agentId;
    this.#again = again;
  }

  async without(writing: Writing, ops: readonly Op[]): Promise<readonly Op[]> {
    let some = false;
    for (const op of ops) if (op.type !== 'restart' && (await this.#isDeleted(writing, op.session))) some = true;
    if (!some) return ops;
    return ops.filter((op) => op.type === 'restart' || !this.#known.get(refName(op.session)));
  }

  async #isDeleted(writing: Writing, session: { readonly native: string; readonly part?: string }): Promise<boolean> {
    const name = refName(session);
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const key = importedKey(this.#agentId, session.native, session.part);
    let deleted = await writing.isDeletedKey(key);
    if (deleted && this.#again) {
      await writing.forgetDeletedKey(key);
      deleted = false;
    }
    this.#known.set(name, deleted);
    return deleted;
  }
}
