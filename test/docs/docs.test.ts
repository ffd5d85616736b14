// Nothing public without documentation: every operation, parameter, setting, error code, command and flag.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/api/operations.ts';
import { GLOBAL_FLAGS } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { EXIT_CODES } from '../../src/cli/render/help.ts';
import { SETTINGS } from '../../src/config/index.ts';
import { ERROR_CODES } from '../../src/model/errors.ts';

const page = (name: string): string => readFileSync(`docs/${name}.md`, 'utf8');

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

  it('name no path of a machine', () => {
    for (const name of ['cli', 'operations', 'errors', 'configuration'])
      expect(page(name)).not.toContain(process.cwd());
  });
});
