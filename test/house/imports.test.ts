import { describe, expect, test } from 'vitest';
import { allSources, LAYERS, violationsOf } from './layers.ts';

describe('the house: imports go one way', () => {
  test('every file of src/ obeys the layers, the package owners, the size limit and the naming rules', () => {
    expect(violationsOf(allSources())).toEqual([]);
  });

  test('every folder of src/ has a place in the layers', () => {
    const folders = new Set([...allSources().keys()].map((path) => path.split('/')[1]!));
    for (const folder of folders) expect(LAYERS.has(folder.replace(/\.ts$/, '')), folder).toBe(true);
  });

  // The check checks itself: each planted file breaks exactly one rule.
  test.each([
    ['an import upwards', 'src/text/a.ts', "import { x } from '../api/operation.ts';", 'imports upwards'],
    ['an import of a neighbour', 'src/redact/a.ts', "import { x } from '../text/fold.ts';", 'imports a neighbour'],
    ['a re-export upwards', 'src/model/a.ts', "export * from '../engine/engine.ts';", 'imports upwards'],
    ['a dynamic import upwards', 'src/store/a.ts', "await import('../sessions/search.ts');", 'imports upwards'],
    ['a package of another owner', 'src/text/a.ts', "import Database from 'better-sqlite3';", 'package better-sqlite3'],
    ['a package nobody owns', 'src/cli/a.ts', "import _ from 'lodash';", 'package lodash'],
    ['a heap', 'src/text/utils.ts', 'export const a = 1;', 'is a heap'],
    ['a file over 300 lines', 'src/text/a.ts', 'x;\n'.repeat(301), '301 lines'],
    ['the wall clock', 'src/text/a.ts', 'export const t = Date.now();', 'Date.now'],
    ['a random id', 'src/text/a.ts', 'const id = randomUUID();', 'randomUUID'],
  ])('%s is found', (_name, path, text, expected) => {
    const found = violationsOf(new Map([[path, text]]));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(expected);
  });
});
