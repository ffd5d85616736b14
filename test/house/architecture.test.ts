// ARCHITECTURE.md and CONTRIBUTING.md say what is so: every folder has its heading and its row, every file named is there.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allSources, LAYERS } from './layers.ts';

const page = readFileSync('ARCHITECTURE.md', 'utf8');
const sources = [...allSources().keys()];

describe('the house: what is written of it', () => {
  test('every folder of src/ has a heading', () => {
    const headings = page.split('\n').filter((line) => line.startsWith('## '));
    const folders = new Set(sources.flatMap((path) => (path.split('/').length > 2 ? [path.split('/')[1]!] : [])));
    for (const folder of folders) {
      expect(
        headings.some((heading) => new RegExp(`[ ,]${folder}/`).test(heading)),
        folder,
      ).toBe(true);
    }
  });

  test('the rows are those that are enforced', () => {
    const rows = new Map<string, number>();
    for (const [, row, names] of page.matchAll(/^ ?(\d{1,2}) {2}(\S.*)$/gm)) {
      for (const name of names!.split(/ {3,}/)) {
        if (/^[a-z/]+(?: \(contract\))?$/.test(name)) rows.set(name.replace(' (contract)', ''), Number(row));
      }
    }
    expect(rows.size).toBeGreaterThan(15);
    for (const [name, row] of rows) expect([name, row]).toEqual([name, LAYERS.get(name)]);
    for (const name of LAYERS.keys()) if (!name.includes('/')) expect([name, rows.has(name)]).toEqual([name, true]);
  });

  test('every file that is named is there', () => {
    const names = [...page.matchAll(/`([\w/*.-]+\.ts)`/g)].map(([, name]) => basename(name!));
    expect(names.length).toBeGreaterThan(40);
    const files = [...sources, 'test/house/layers.ts'].map((path) => basename(path));
    for (const name of names) {
      const pattern = new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
      expect(
        files.some((file) => pattern.test(file)),
        name,
      ).toBe(true);
    }
  });

  test('CONTRIBUTING.md names every package that is shipped', () => {
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object };
    const listed = readFileSync('CONTRIBUTING.md', 'utf8');
    for (const name of Object.keys(dependencies)) expect(listed).toContain(`\`${name}\``);
  });
});
