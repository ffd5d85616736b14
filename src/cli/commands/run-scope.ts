// From flags to the run that a command asks besides (RUN-77).
import { resolve } from 'node:path';
import { integerOf } from '../../api/parameters.ts';
import type { Bound } from '../../api/tools.ts';
import { BackstoryError } from '../../model/errors.ts';
import { RUN } from '../commands-runs.ts';
import { folderOf } from '../input.ts';
import type { Io } from '../io.ts';
import type { Parsed } from '../parse.ts';

/** Undefined where the flags name none. Throws `invalid_argument` for one that they name in part. */
export function runFrom(io: Io, parsed: Parsed): Bound['run'] {
  const [folder, agent] = [parsed.value('run'), parsed.value('run-agent')];
  const [typed, conversation] = [parsed.value('episode'), parsed.value('conversation')];
  if (folder === undefined || agent === undefined) {
    const given = RUN.find(({ name }) => parsed.has(name));
    if (given === undefined) return undefined;
    throw new BackstoryError('invalid_argument', `--${given.name} needs --run and --run-agent.`, 'Give both.');
  }
  const episode = typed === undefined ? undefined : integerOf(typed);
  if (typed !== undefined && (episode === undefined || episode < 0)) {
    throw new BackstoryError(
      'invalid_argument',
      `--episode is ${JSON.stringify(typed.slice(0, 40))}, no number.`,
      'Give 0 or more.',
    );
  }
  return {
    folder: resolve(io.cwd, folderOf(io, folder)),
    agent,
    ...(episode === undefined ? {} : { episode }),
    ...(conversation === undefined ? {} : { conversation }),
  };
}
