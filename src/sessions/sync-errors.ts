// What a sync throws: a root that the caller named and that cannot be read, and an abort (sources.md §8).
import { BackstoryError, isBackstoryError } from '../model/errors.ts';
import type { Instance } from '../sources/contract.ts';
import type { SyncRoot } from './sync-report.ts';

export function badRoot(source: string, root: string, problem: 'root_not_found' | 'root_unreadable'): BackstoryError {
  const what = problem === 'root_not_found' ? 'does not exist' : 'cannot be read';
  return new BackstoryError(
    problem,
    `The root ${root} of ${source} ${what}.`,
    'Check the path given with --root or sources.roots.',
  );
}

export function aborted(): BackstoryError {
  return new BackstoryError(
    'sync_aborted',
    'The sync was aborted.',
    'What was read before stays; sync again to go on.',
  );
}

/** A store that cannot be opened keeps its own agent's files unread, and no other's (SES-75). Other errors go on. */
export function storeFailed(instance: Instance, error: unknown): SyncRoot {
  if (!isBackstoryError(error) || !error.code.startsWith('store_')) throw error;
  const { source, root, agentId } = instance;
  return { source, root, agentId, state: 'store_failed', detail: `${error.code}: ${error.message}` };
}
