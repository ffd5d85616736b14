import { describe, test } from 'vitest';
import { openSqliteStores } from '../../src/store/sqlite/store-set.ts';
import { storeContract } from '../../src/testing/index.ts';

describe('the store contract, SQLite in memory', () => {
  test.each(storeContract().map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    const stores = openSqliteStores();
    try {
      await one.run(stores);
    } finally {
      await stores.close();
    }
  });
});
