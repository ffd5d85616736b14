// Nothing public without documentation: every operation, parameter, setting, error code, command and flag.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/api/operations.ts';
import { GLOBAL_FLAGS } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { EXIT_CODES } from '../../src/cli/render/help.ts';
import { SETTINGS } from '../../src/config/index.ts';
import { openBackstory } from '../../src/index.ts';
import { ERROR_CODES } from '../../src/model/errors.ts';
import { bundled, removeBundles, start } from '../steps/run-process.ts';

const page = (name: string): string => readFileSync(`docs/${name}.md`, 'utf8');

/** Own ones and those of its class. */
function methodsOf(face: object): string[] {
  const own = Object.keys(face);
  const prototype = Object.getPrototypeOf(face) as object;
  const inherited = prototype === Object.prototype ? [] : Object.getOwnPropertyNames(prototype);
  return [...own, ...inherited].filter((name) => name !== 'constructor');
}

describe('the reference pages', () => {
  it('are what scripts/docs.mjs writes now', () => {
    expect(() => execFileSync(process.execPath, ['scripts/docs.mjs', '--check'], { stdio: 'pipe' })).not.toThrow();
  });

  it('SUR-1: every operation and parameter is in docs/operations.md', () => {
    const text = page('operations');
    for (const { name, parameters } of OPERATIONS) {
      const section = text.split('\n## ').find((part) => part.startsWith(`${name}\n`)) ?? '';
      expect(section, name).not.toBe('');
      for (const parameter of Object.keys(parameters)) expect(section, name).toContain(`| \`${parameter}\``);
    }
  });

  it('SUR-20: every command and flag is in docs/cli.md', () => {
    const text = page('cli');
    for (const flag of GLOBAL_FLAGS) expect(text).toContain(`--${flag.name}`);
    for (const { name, flags } of COMMANDS) {
      const section = text.split('\n## ').find((part) => part.startsWith(`backstory ${name}\n`)) ?? '';
      expect(section, name).not.toBe('');
      for (const flag of flags) expect(section, name).toContain(`--${flag.name}`);
    }
  });

  it('SUR-21: the exit codes are 0 to 5', () => {
    expect(EXIT_CODES.map(([code]) => code)).toEqual([0, 1, 2, 3, 4, 5]);
    for (const [code, meaning] of EXIT_CODES) expect(page('cli')).toContain(`| ${code} | ${meaning} |`);
  });

  it('COM-21: every error code is in docs/errors.md with its status and exit code', () => {
    for (const [code, { http, exit }] of Object.entries(ERROR_CODES)) {
      expect(page('errors')).toContain(`| \`${code}\` | ${http} | ${exit} | `);
    }
  });

  it('COM-40: every setting is in docs/configuration.md', () => {
    for (const { path } of SETTINGS) expect(page('configuration')).toContain(`| \`${path}\` |`);
  });

  it('SUR-10: every method of an engine is in docs/library.md, and its first program runs', async () => {
    const home = mkdtempSync(join(tmpdir(), 'backstory-library-'));
    const program = /```ts\n([\s\S]*?)```/.exec(page('library'))![1]!;
    const script = join(home, 'library.mjs');
    writeFileSync(script, `${program.replace('/srv/agents/.backstory', join(home, 'own'))}console.log(hits.length);`);
    expect(await start(bundled(script), []).lines).toEqual(['1']);
    removeBundles();
    const backstory = await openBackstory({ home, host: { env: {}, home, platform: process.platform } });
    for (const [face, methods] of Object.entries(backstory)) {
      const named = typeof methods === 'function' ? [face] : [face, ...methodsOf(methods)];
      for (const name of named) expect(page('library'), `${face}: ${name}`).toMatch(new RegExp(`[\`.]${name}\\b`));
    }
    await backstory.close();
    rmSync(home, { recursive: true, force: true });
  });

  it('name no path of a machine', () => {
    for (const name of ['cli', 'operations', 'errors', 'configuration'])
      expect(page(name)).not.toContain(process.cwd());
  });
});
