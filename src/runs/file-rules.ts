// What a file is by its path below the run folder: whose it is, whether it holds records, which episode it lies in
// (RUN-40, RUN-42, RUN-43). Pure; messages in files are never asked (RUN-41).

const EPISODE = /^episode-(0|[1-9][0-9]{0,8})$/;
const RECORD_PART = /^(?:history|log)(?:[-_~].*)?$/s;

/** The number of `episode-N`; undefined for anything else. */
export function episodeNumber(name: string): number | undefined {
  const digits = EPISODE.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The nearest folder named `episode-N`, else such a part of the file's name (RUN-40). */
export function episodeOfPath(path: string): number | undefined {
  const parts = path.split('/');
  const name = parts.pop() ?? '';
  for (const folder of parts.reverse()) {
    const episode = episodeNumber(folder);
    if (episode !== undefined) return episode;
  }
  for (const part of name.split('.')) {
    const episode = episodeNumber(part);
    if (episode !== undefined) return episode;
  }
  return undefined;
}

/** A record file by its name: rotated and renamed logs too (RUN-42). */
export function isRecordName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name
    .split('.')
    .slice(1)
    .some((part) => RECORD_PART.test(part));
}

/** The name rule: which files are the agent's, given the other agents that are known (RUN-43). */
export function ownedBy(agent: string, otherAgents: readonly string[]): (path: string) => boolean {
  const known = new Set([agent, ...otherAgents]);
  const longer = otherAgents.filter((other) => other.length > agent.length);
  const isNamed = (name: string, of: string): boolean => name === of || name.startsWith(`${of}.`);
  return (path) => {
    const parts = path.split('/');
    const name = parts.pop() ?? '';
    const bearer = parts.find((folder) => known.has(folder));
    if (bearer !== undefined) return bearer === agent;
    return isNamed(name, agent) && !longer.some((other) => isNamed(name, other));
  };
}
