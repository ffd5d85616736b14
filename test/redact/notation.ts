// The notation of cases/masking.md, so that no scanner takes the tests for a leak.

const RUNS: Readonly<Record<string, string>> = { R: 'q7Kx9Zt3', L: 'qKxZtPwB', X: '0f1e2d3c', K: 'Q3EGTP7W' };

/** Fills in `{R36}`, `{L34}`, `{X40}`, `{K16}`, `{B3}` and `{D}`. */
export function fill(text: string): string {
  return text
    .replaceAll('{D}', '-'.repeat(5))
    .replaceAll(/\{B(\d+)\}/g, (_, count) => Array(Number(count)).fill(run('R', 64)).join('\n'))
    .replaceAll(/\{([RLXK])(\d+)\}/g, (_, letter, length) => run(letter, Number(length)));
}

/** An expected outcome: `[c]`, `[k]` and `[p]` are the markers. */
export function fillMarkers(text: string): string {
  return fill(text)
    .replaceAll('[c]', '[hidden:credential]')
    .replaceAll('[k]', '[hidden:private-key]')
    .replaceAll('[p]', '[hidden:path]');
}

function run(letter: string, length: number): string {
  return RUNS[letter]!.repeat(Math.ceil(length / 8)).slice(0, length);
}
