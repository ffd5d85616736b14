import { defineConfig, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // They start a PostgreSQL server: `npm run test:postgres`.
    exclude: ['test/postgres/**'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores: each file in a process of its own, so that native handles and environment never leak between files.
    pool: 'forks',
    maxWorkers: 2,
  },
});

export default config;
