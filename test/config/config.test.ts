// Settings: layers, checks and the config file (COM-40 … COM-42).
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type BackstoryConfig, findConfigFile, loadJsonConfig, readConfig, SETTINGS } from '../../src/config/index.ts';
import { isBackstoryError } from '../../src/model/errors.ts';

function errorOf(work: () => unknown): { code: string; message: string; hint: string } {
  try {
    work();
  } catch (error) {
    if (isBackstoryError(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('COM-40: the shape', () => {
  test('COM-40: nothing given is all defaults', () => {
    expect(readConfig({})).toEqual({
      home: join(homedir(), '.backstory'),
      timeZone: 'UTC',
      busyTimeoutMs: 5_000,
      masking: {},
      memory: expect.anything(),
      visibility: {},
      sessions: { maskAtRest: false, index: { extra: [] }, reconcileOnOpen: false },
      runs: { folders: [] },
      sources: {
        roots: [],
        exclude: [],
        projectAliases: {},
        toolInputChars: 2_000,
        parse: 'fast',
        syncOnSearch: true,
        onHostDelete: 'keep',
        formats: {},
        readers: [],
      },
    });
  });

  test('COM-40: everything given comes through', () => {
    const reader = { name: 'mine', discover() {}, plan() {}, read() {}, reopen() {} };
    const config = {
      home: '/data/backstory',
      timeZone: 'Europe/Berlin',
      busyTimeoutMs: 0,
      masking: { paths: true, rules: [{ name: 'acme', pattern: /ACME-\d{6}/ }], allow: [/^demo-/] },
      visibility: { people: 'require', sandbox: { sessions: 'all' } },
      sessions: { maskAtRest: true },
      runs: { folders: ['/srv/runs'] },
      sources: {
        roots: [{ source: 'codex', path: '/mnt/old/.codex', agent: 'codex-old' }],
        exclude: [{ project: '/work/secret/**', since: '-30d' }],
        projectAliases: { '/old/app': '/work/app' },
        toolInputChars: 16_384,
        parse: 'full',
        syncOnSearch: true,
        onHostDelete: 'erase',
        formats: { codex: { enabled: false, roots: ['/x'] } },
        readers: [reader],
      },
    } satisfies BackstoryConfig;
    expect(readConfig({ options: config })).toEqual({
      ...config,
      memory: expect.anything(),
      sessions: expect.anything(),
    });
    expect(readConfig({ file: { sources: { formats: { codex: { enabled: false } } } } }).sources.formats).toEqual({
      codex: { enabled: false, roots: [] },
    });
  });

  test('MASK-53: rules and exceptions may be texts, as JSON has no patterns; a known value is in no error', () => {
    const file = {
      masking: { rules: [{ name: 'acme', pattern: '/acme-[0-9]{6}/i' }], allow: ['/^demo-/'], cards: true },
    };
    expect(readConfig({ file }).masking).toEqual({
      rules: [{ name: 'acme', pattern: /acme-[0-9]{6}/i }],
      allow: [/^demo-/],
      cards: true,
    });
    for (const pattern of ['acme', '/(/', 7]) {
      expect(() => readConfig({ file: { masking: { allow: [pattern] } } })).toThrow(/masking\.allow\[0\]/);
    }
    expect(() => readConfig({ file: { masking: { values: ['long enough', 'hush'] } } })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hush') }),
    );
    expect(() => readConfig({ file: { masking: { path: true } } })).toThrow(/masking\.path/);
  });

  test('SRC-40: syncOnSearch is false by default in the library and true elsewhere', () => {
    expect(readConfig({ options: {} }).sources.syncOnSearch).toBe(false);
    expect(readConfig({ env: {} }).sources.syncOnSearch).toBe(true);
  });

  test('COM-40: ~ in the home is the home of the user', () => {
    expect(readConfig({ options: { home: '~/b' }, home: '/home/ann' }).home).toBe('/home/ann/b');
    expect(readConfig({ home: '/home/ann' }).home).toBe('/home/ann/.backstory');
  });

  test('COM-40: every setting of the table has its own path, a help text and words for what is allowed', () => {
    expect(new Set(SETTINGS.map((setting) => setting.path)).size).toBe(SETTINGS.length);
    for (const setting of SETTINGS) {
      expect(setting.help).toMatch(/^.{20,}\.$/);
      expect(setting.check.allowed).not.toBe('');
      // A default that is a value is one its own check takes; the others are sentences.
      const sentence = ['sources.syncOnSearch', 'visibility.agentToAgent.allow'].includes(setting.path);
      if (!sentence) expect(setting.check.read(setting.default, setting.path)).toEqual(setting.default);
    }
  });
});

describe('COM-41: which layer wins', () => {
  const layers = {
    file: { timeZone: 'Asia/Tokyo', busyTimeoutMs: 1, sources: { parse: 'full', toolInputChars: 1 } },
    env: { BACKSTORY_TIME_ZONE: 'Europe/Paris', BACKSTORY_BUSY_TIMEOUT_MS: '2' },
    flags: { timeZone: 'Europe/Rome' },
  };

  test('COM-41: a flag wins over the environment, that over the file, that over the default', () => {
    const config = readConfig(layers);
    expect(config.timeZone).toBe('Europe/Rome');
    expect(config.busyTimeoutMs).toBe(2);
    expect(config.sources.toolInputChars).toBe(1);
    expect(config.sources.onHostDelete).toBe('keep');
  });

  test('COM-41: an option of the host wins over the environment', () => {
    expect(readConfig({ options: { home: '/a' }, env: { BACKSTORY_HOME: '/b' } }).home).toBe('/a');
    expect(readConfig({ options: {}, env: { BACKSTORY_HOME: '/b' } }).home).toBe('/b');
  });

  test('COM-42: a bad value is an error also where another layer wins', () => {
    expect(errorOf(() => readConfig({ ...layers, file: { timeZone: 'Nowhere/X' } })).code).toBe('config_invalid');
  });
});

describe('COM-42: every value is checked', () => {
  test.each<[object, string, string]>([
    [{ hom: '/x' }, '"hom"', '"home"'],
    [{ timezone: 'UTC' }, '"timezone"', '"timeZone"'],
    [{ sources: { syncOnSerach: true } }, '"sources.syncOnSerach"', '"sources.syncOnSearch"'],
    [
      { sources: { formats: { codex: { enable: true } } } },
      '"sources.formats.codex.enable"',
      '"sources.formats.codex.enabled"',
    ],
    [{ sources: { exclude: [{ projects: 'x' }] } }, '"sources.exclude[0].projects"', '"sources.exclude[0].project"'],
    [{ sources: { parse: 'fats' } }, '"fats"', '"fast"'],
    [{ timeZone: 'Europe/Berln' }, '"Europe/Berln"', '"Europe/Berlin"'],
  ])('COM-42: %j names the path or value and the nearest', (options, named, nearest) => {
    const error = errorOf(() => readConfig({ options }));
    expect(error.code).toBe('config_invalid');
    expect(error.message).toContain(named);
    expect(error.hint).toContain(nearest);
  });

  test.each<[object, string, string]>([
    [{ home: '' }, 'home is ""', 'not blank'],
    [{ home: 7 }, 'home is 7', 'text'],
    [{ timeZone: '+02:00' }, 'timeZone', 'IANA'],
    [{ busyTimeoutMs: 60_001 }, 'busyTimeoutMs is 60001', 'from 0 to 60000'],
    [{ busyTimeoutMs: -1 }, '-1', '0'],
    [{ busyTimeoutMs: 1.5 }, '1.5', 'whole'],
    [{ busyTimeoutMs: null }, 'null', 'whole'],
    [{ sources: { toolInputChars: 16_385 } }, 'sources.toolInputChars is 16385', '16384'],
    [{ sources: { syncOnSearch: 'yes' } }, '"yes"', 'true or false'],
    [{ sources: { onHostDelete: 'drop' } }, '"drop"', '"keep" or "erase"'],
    [{ sources: { roots: [{ source: 'codex' }] } }, 'sources.roots[0]', 'path'],
    [{ sources: { roots: {} } }, 'sources.roots', 'list'],
    [{ sources: { exclude: [{}] } }, 'sources.exclude[0]', 'object with'],
    [{ sources: { exclude: [{ source: 'x', until: '24h' }] } }, 'sources.exclude[0].until is "24h"', 'time expression'],
    [{ sources: { projectAliases: { '/a': 1 } } }, 'sources.projectAliases["/a"]', 'text'],
    [{ sources: { readers: [{ name: 'x' }] } }, 'sources.readers[0]', 'discover'],
    [{ sources: [] }, 'sources', 'object'],
    [{ sources: { formats: { codex: true } } }, 'sources.formats.codex', 'object'],
  ])('COM-42: %j names path, value and what is allowed', (options, named, allowed) => {
    const error = errorOf(() => readConfig({ options }));
    expect(error.code).toBe('config_invalid');
    expect(error.message).toContain(named);
    expect(error.message).toContain(allowed);
  });

  test('COM-41: an empty variable is not set, as with other tools; a blank one is a bad value', () => {
    const env = { BACKSTORY_HOME: '', BACKSTORY_TIME_ZONE: '', BACKSTORY_CONFIG: '' };
    expect(readConfig({ env, home: '/u' })).toMatchObject({ home: '/u/.backstory', timeZone: 'UTC' });
    expect(findConfigFile('/nowhere', env, '/nowhere/home')).toBeUndefined();
    expect(errorOf(() => readConfig({ env: { BACKSTORY_HOME: ' ' } })).message).toContain('BACKSTORY_HOME');
  });

  test('COM-42: an unknown format is named with the nearest, where the formats are known', () => {
    const known = { sources: ['codex', 'claude-code'] };
    const formats = errorOf(() => readConfig({ options: { sources: { formats: { codx: {} } } } }, known));
    expect(formats.hint).toContain('"sources.formats.codex"');
    const roots = errorOf(() =>
      readConfig({ options: { sources: { roots: [{ source: 'codx', path: '/x' }] } } }, known),
    );
    expect(roots.message).toContain('sources.roots[0].source is "codx"');
  });

  test('COM-42: a flag nobody knows is an error', () => {
    expect(errorOf(() => readConfig({ flags: { timezone: 'UTC' } })).hint).toContain('"timeZone"');
  });

  test('COM-42: keys of objects in themselves are no settings', () => {
    for (const text of [
      '{"__proto__":{"home":"/x"}}',
      '{"constructor":{}}',
      '{"sources":{"formats":{"<source>.x":{}}}}',
    ]) {
      expect(errorOf(() => readConfig({ file: JSON.parse(text) })).code).toBe('config_invalid');
    }
  });
});

describe('COM-41: the config file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'backstory-config-'));
    mkdirSync(join(folder, 'project', 'deep', 'er'), { recursive: true });
    mkdirSync(join(folder, 'home'));
    writeFileSync(join(folder, 'project', 'package.json'), '{}');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const put = (...path: string[]): string => {
    const file = join(folder, ...path);
    writeFileSync(file, '{"timeZone":"Europe/Berlin"}');
    return file;
  };
  const find = (env = {}, options = {}): unknown =>
    findConfigFile(join(folder, 'project', 'deep', 'er'), env, join(folder, 'home'), options);

  test('COM-41: none is none', () => {
    expect(find()).toBeUndefined();
  });

  test('COM-41: beside the nearest package.json, before the home; named by a variable or a flag before that', () => {
    const home = put('home', 'backstory.config.ts');
    expect(find()).toEqual({ path: home, how: 'home', code: true });
    const project = put('project', 'backstory.config.json');
    expect(find()).toEqual({ path: project, how: 'folder', code: false });
    const other = put('other.json');
    expect(find({ BACKSTORY_CONFIG: other })).toEqual({ path: other, how: 'environment', code: false });
    const flag = put('flag.mjs');
    expect(find({ BACKSTORY_CONFIG: other }, { flag })).toEqual({ path: flag, how: 'flag', code: true });
  });

  test('COM-41: code found through the working folder is passed over, but for the commands that say they run it', () => {
    const code = put('project', 'backstory.config.ts');
    expect(find()).toBeUndefined();
    expect(find({}, { code: 'run' })).toEqual({ path: code, how: 'folder', code: true });
    const json = put('project', 'backstory.config.json');
    expect(find()).toEqual({ path: json, how: 'folder', code: false });
  });

  test('COM-41: a file above the nearest package.json does not count', () => {
    put('project', 'backstory.config.json');
    writeFileSync(join(folder, 'project', 'deep', 'package.json'), '{}');
    expect(find()).toBeUndefined();
  });

  test('COM-42: a file that is named and is not there is an error', () => {
    expect(errorOf(() => find({ BACKSTORY_CONFIG: 'gone.json' })).message).toContain('gone.json');
    expect(errorOf(() => find({}, { flag: 'gone.json' })).message).toContain('--config');
  });

  test('COM-42: a file that is no JSON object is an error that names it and shows nothing of it', () => {
    expect(loadJsonConfig(put('project', 'backstory.config.json'))).toEqual({ timeZone: 'Europe/Berlin' });
    const broken = join(folder, 'broken.json');
    for (const text of ['{"timeZone": hunter2', '[]', 'null']) {
      writeFileSync(broken, text);
      const error = errorOf(() => loadJsonConfig(broken));
      expect(error.code).toBe('config_invalid');
      expect(error.message).toContain('broken.json');
      expect(error.message).not.toContain('hunter2');
    }
    writeFileSync(broken, '{\n  "timeZone": "UTC",\n}');
    expect(errorOf(() => loadJsonConfig(broken)).message).toContain('is not valid JSON, at line 3, column 1.');
  });
});
