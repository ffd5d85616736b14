// The store contract, over SQLite in memory and on disk.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { openSqliteStores } from '../../src/store/sqlite/store-set.ts';
import { storeContract } from '../../src/testing/index.ts';

const cases = storeContract().map((one) => [one.name, one] as const);

describe('the store contract', () => {
  test.each(cases)('in memory: %s', async (_name, one) => {
    const stores = openSqliteStores();
    try {
      await one.run(stores);
    } finally {
      await stores.close();
    }
  });

  test.each(cases)('on disk: %s', async (_name, one) => {
    const folder = mkdtempSync(join(tmpdir(), 'backstory-store-'));
    const stores = openSqliteStores({ folder });
    try {
      await one.run(stores);
    } finally {
      await stores.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
