// Whether a folder can be a home: it is one that can be written, or can be made. Says nothing of what is in it.
import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** What is wrong with a folder as a home, in a sentence with the system's code; undefined: nothing. */
export function homeTrouble(home: string): string | undefined {
  // The nearest folder that is there decides: it is written, or made in.
  for (let at = home; ; at = dirname(at)) {
    let found: Stats | undefined;
    try {
      found = statSync(at, { throwIfNoEntry: false });
      if (found === undefined && at !== dirname(at)) continue;
      if (found?.isDirectory() !== true) return `${home} cannot be a home (ENOTDIR).`;
      accessSync(at, constants.W_OK);
      return undefined;
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      return `${home} cannot be ${found ? 'written' : 'a home'} (${code}).`;
    }
  }
}
