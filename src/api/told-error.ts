// What a client of a server is told of an error, whatever carries it: one shape (COM-20), and of a fault of ours nothing but
// that it was one.
import { type ErrorJson, isBackstoryError } from '../model/errors.ts';

/** `onFault` is told of what is no error of ours; who asked is told that something failed. */
export function toldError(error: unknown, onFault?: (error: unknown) => void): ErrorJson {
  if (isBackstoryError(error)) return error.toJSON();
  onFault?.(error);
  return { code: 'internal', message: 'Something failed within backstory.', hint: 'The log of the server says what.' };
}
