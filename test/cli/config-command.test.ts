// backstory config: what is set, by what, and nothing that is secret (SUR-22, COM-41).
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ConfigAnswer } from '../../src/cli/commands/config.ts';
import { run } from '../../src/cli/run.ts';
import { SETTINGS } from '../../src/config/index.ts';
import { keptIo } from './fake-io.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'backstory-config-'));
  mkdirSync(join(folder, 'home'));
  writeFileSync(join(folder, 'package.json'), '{}');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function backstory(env: Record<string, string>, ...argv: string[]) {
  const io = keptIo({ cwd: folder, env: { BACKSTORY_HOME: join(folder, 'home'), ...env } });
  const code = await run(argv, io);
  return { code, ...io.kept };
}

async function shown(env: Record<string, string>, ...argv: string[]): Promise<ConfigAnswer> {
  const { code, out, err } = await backstory(env, 'config', '--json', ...argv);
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out) as ConfigAnswer;
}

const write = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

describe('SUR-22, COM-41: config', () => {
  test('tells of each setting what set it: the flag, else the variable, else the file, else the default', async () => {
    const path = write(
      'backstory.config.json',
      '{"timeZone":"Asia/Tokyo","busyTimeoutMs":7,"memory":{"writes":"off"}}',
    );
    const env = { BACKSTORY_TIME_ZONE: 'Asia/Kathmandu', BACKSTORY_BUSY_TIMEOUT_MS: '9' };
    const { file, settings, defaults } = await shown(env, '--time-zone', 'Europe/Berlin');
    expect(file).toEqual({ path, how: 'folder' });
    expect(settings).toEqual([
      { setting: 'home', value: join(folder, 'home'), from: 'environment', by: 'BACKSTORY_HOME' },
      { setting: 'timeZone', value: 'Europe/Berlin', from: 'flag', by: '--time-zone' },
      { setting: 'busyTimeoutMs', value: 9, from: 'environment', by: 'BACKSTORY_BUSY_TIMEOUT_MS' },
      { setting: 'memory.writes', value: 'off', from: 'file' },
    ]);
    expect(defaults).toBe(SETTINGS.length - 4);
  });

  test('with --all every setting stands there once, and an empty variable sets nothing', async () => {
    const { settings, defaults } = await shown({ BACKSTORY_TIME_ZONE: '' }, '--all');
    expect(settings.map(({ setting }) => setting)).toEqual(SETTINGS.map(({ path }) => path));
    expect(settings.find(({ setting }) => setting === 'timeZone')).toEqual({
      setting: 'timeZone',
      value: 'UTC',
      from: 'default',
    });
    expect(defaults).toBe(0);
    // A default that depends is no value that a program could take for one.
    const dependent = settings.filter(({ depends }) => depends !== undefined);
    expect(dependent.map(({ setting, value }) => [setting, value])).toEqual([
      ['visibility.agentToAgent.allow', null],
      ['memory.workspace', null],
    ]);
    expect((await backstory({}, 'config', 'memory.workspace')).out).toContain('(the name in the nearest package.json)');
  });

  test('of a name it shows that setting and those below it, with null as a value; an unknown one names the nearest', async () => {
    const file = write(
      'other.json',
      '{"memory":{"episodes":{"ttlMs":null}},"sources":{"formats":{"codex":{"enabled":false}}}}',
    );
    const { settings } = await shown({}, 'memory.episodes', '--config', file);
    expect(settings).toHaveLength(7);
    expect(settings[1]).toEqual({ setting: 'memory.episodes.ttlMs', value: null, from: 'file' });
    expect((await shown({}, 'sources.formats.codex', '--config', file)).settings).toEqual([
      { setting: 'sources.formats.codex.enabled', value: false, from: 'file' },
    ]);
    const wrong = await backstory({}, 'config', 'memory.episode');
    expect([wrong.code, wrong.out]).toEqual([2, '']);
    expect(wrong.err).toContain('Did you mean memory.episodes?');
  });

  test('shows neither passwords nor masked values, in no form', async () => {
    const secret = ['pa', 'ss', 'wörd'].join('-');
    const hidden = ['zebra', 'crossing', '17'].join('-');
    const url = `postgres://ann:${encodeURIComponent(secret)}@db:5432/x?sslpassword=${encodeURIComponent(secret)}`;
    for (const postgres of [url, { host: 'db', user: 'ann', password: secret }, { connectionString: url }]) {
      write('backstory.config.json', JSON.stringify({ masking: { values: [hidden] }, memory: { postgres } }));
      for (const flags of [['--json'], [], ['memory'], ['--all']]) {
        const { code, out, err } = await backstory({}, 'config', ...flags);
        expect([code, err]).toEqual([0, '']);
        expect(out).toContain('db');
        for (const kept of [secret, encodeURIComponent(secret), 'sslpassword', hidden]) expect(out).not.toContain(kept);
      }
    }
    const viaEnvironment = await shown({ BACKSTORY_MEMORY_POSTGRES: url }, 'memory.postgres');
    expect(viaEnvironment.settings).toEqual([
      {
        setting: 'memory.postgres',
        value: 'postgres://ann@db:5432/x',
        from: 'environment',
        by: 'BACKSTORY_MEMORY_POSTGRES',
      },
    ]);
  });

  test('runs the code of the working folder, as memory does and search does not, and says so', async () => {
    const path = write('backstory.config.mjs', 'export default { timeZone: "Asia/Tokyo", memory: { onError() {} } };');
    const { file, settings } = await shown({});
    expect(file).toEqual({ path, how: 'folder', onlyFor: 'memory' });
    expect(settings.at(-1)).toEqual({ setting: 'memory.onError', value: '[function]', from: 'file' });
    expect((await backstory({}, 'config')).out).toContain('only memory commands and this one run it');
  });

  test('COM-42: a bad value of the file ends with 2 and names the file, on every command', async () => {
    const path = write('backstory.config.json', '{"memory":{"writes":"maybe"}}');
    for (const command of [['config'], ['search', 'x'], ['memory', 'list']]) {
      const { code, out, err } = await backstory({}, ...command, '--json');
      expect([code, out]).toEqual([2, '']);
      expect(JSON.parse(err).error).toMatchObject({ code: 'config_invalid', details: { file: path } });
      expect(err).toContain('memory.writes');
    }
    write('backstory.config.json', '{"sources":{"formats":{"codexx":{"enabled":false}}}}');
    const { code, err } = await backstory({}, 'config');
    expect([code, err]).toEqual([2, expect.stringContaining('codex')]);
  });

  test('a variable that is misspelt is said on standard error', async () => {
    const { code, err } = await backstory({ BACKSTORY_HOEM: '/x' }, 'config');
    expect([code, err]).toEqual([
      0,
      'backstory: BACKSTORY_HOEM is no variable of ours: did you mean BACKSTORY_HOME?\n',
    ]);
  });

  test('COM-42: a file that is code and fails says why', async () => {
    const path = write('failing.mjs', 'export default missing;');
    const { code, err } = await backstory({}, 'config', '--config', path);
    expect(code).toBe(2);
    expect(err).toContain(`The config file ${path} failed to load: ReferenceError: missing is not defined`);
  });
});
