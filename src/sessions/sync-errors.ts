// What a sync throws: a root that the caller named and that cannot be read, and an abort (sources.md §8).
import { BackstoryError } from '../model/errors.ts';

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
