// Writes docs/{cli,operations,errors,configuration}.md from the tables of the source. With --check it changes nothing and
// fails when a page is not up to date; CI runs that.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const source = join(root, 'src');
const tables = await loadTables();
const pages = {
  cli: cliPage(),
  operations: operationsPage(),
  errors: errorsPage(),
  configuration: configurationPage(),
};

let stale = 0;
for (const [name, text] of Object.entries(pages)) {
  const path = join(root, 'docs', `${name}.md`);
  if (process.argv.includes('--check')) {
    if (current(path) === text) continue;
    console.error(`docs/${name}.md is not up to date: run npm run docs`);
    stale++;
  } else writeFileSync(path, text);
}
process.exitCode = stale > 0 ? 1 : 0;

// The tables are TypeScript: bundled in memory, without the code that runs commands.
async function loadTables() {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        export { COMMANDS } from './cli/commands.ts';
        export { GLOBAL_FLAGS } from './cli/command.ts';
        export { ENVIRONMENT, EXIT_CODES, flagHead, flagText, usageOf } from './cli/render/help.ts';
        export { OPERATIONS } from './api/operations.ts';
        export { allowedOf } from './api/parameters.ts';
        export { ERROR_MEANINGS } from './api/error-meanings.ts';
        export { ERROR_CODES } from './model/errors.ts';
        export { SETTINGS } from './config/index.ts';`,
      resolveDir: source,
      loader: 'ts',
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    external: ['./commands/*'],
    logLevel: 'warning',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

function cliPage() {
  const { COMMANDS, GLOBAL_FLAGS, EXIT_CODES, ENVIRONMENT, flagHead, flagText, usageOf } = tables;
  const flags = (list) => list.map((flag) => [`\`${flagHead(flag)}\``, flagText(flag)]);
  return page('Command line', [
    'Results go to standard output; progress, warnings, hints and errors go to standard error. With `--json` standard ' +
      'output holds exactly the result of the operation, and nothing when there is an error: that is then one line of ' +
      'JSON, `{ "error": { code, message, hint, details? } }`, on standard error ([errors](errors.md)).',
    '`backstory search rollback -draft` leaves out messages with `draft`: what begins with one dash and is no flag is a ' +
      'word. Behind `--` everything is: `backstory search -- rollback -draft --force`.',
    '## Flags of every command',
    table(['flag', 'meaning'], flags(GLOBAL_FLAGS)),
    ...COMMANDS.flatMap((command) => [
      `## backstory ${command.name}`,
      command.description ?? command.summary,
      fence('sh', usageOf(command)),
      ...(command.operation
        ? [`Operation: [\`${command.operation.name}\`](operations.md#${command.operation.name}).`]
        : []),
      ...(command.flags.length > 0 ? [table(['flag', 'meaning'], flags(command.flags))] : []),
      fence('sh', command.examples.map((one) => `# ${one.title}\n${one.command}`).join('\n')),
    ]),
    '## Exit codes',
    table(['code', 'meaning'], EXIT_CODES),
    '## Environment',
    table(
      ['variable', 'meaning'],
      ENVIRONMENT.map(([name, meaning]) => [`\`${name}\``, meaning]),
    ),
    'Settings that have a variable are in [configuration](configuration.md).',
  ]);
}

function operationsPage() {
  const { OPERATIONS, allowedOf } = tables;
  const row = (name, parameter) => {
    const agents = allowedOf(parameter, false);
    const operators = allowedOf(parameter, true);
    return [
      `\`${name}\`${parameter.required ? ' (required)' : ''}`,
      agents === operators ? agents : `${agents}; for operators ${operators}`,
      parameter.standard ?? '',
      parameter.summary + (parameter.operatorOnly ? ' Operators only.' : ''),
    ];
  };
  return page('Operations', [
    'One table, the same on every surface. An unknown parameter is an error that names the nearest known one; a number may ' +
      'be given as a numeric string; nothing is clamped.',
    ...OPERATIONS.flatMap((operation) => {
      const rows = Object.entries(operation.parameters).flatMap(([name, parameter]) => [
        row(name, parameter),
        ...Object.entries(parameter.fields ?? {}).map(([field, inner]) => row(`${name}[].${field}`, inner)),
      ]);
      return [
        `## ${operation.name}`,
        operation.description,
        `Who may call it: ${operation.who === 'operator' ? 'an operator' : 'anyone, within its scope'}. ` +
          `${operation.readOnly ? 'It only reads' : 'It writes'}. Rules: ${operation.spec}.`,
        rows.length > 0 ? table(['parameter', 'allowed', 'default', 'meaning'], rows) : 'It takes no parameters.',
        ...operation.examples.flatMap(({ title, input }) => [`${title}:`, fence('json', JSON.stringify(input))]),
      ];
    }),
  ]);
}

function errorsPage() {
  const { ERROR_CODES, ERROR_MEANINGS } = tables;
  return page('Errors', [
    'One shape everywhere: `{ "error": { code, message, hint, details? } }`. Match by `code`. The message names the value, ' +
      'the hint says what to do; neither ever holds stored text or the text of a query.',
    table(
      ['code', 'HTTP', 'exit', 'when'],
      Object.entries(ERROR_CODES).map(([code, { http, exit }]) => [`\`${code}\``, http, exit, ERROR_MEANINGS[code]]),
    ),
    'Anything else is a fault of the program: the command line prints it with the code `internal` and ends with 5.',
  ]);
}

function configurationPage() {
  const { SETTINGS } = tables;
  return page('Configuration', [
    'A flag wins over an environment variable, that over the file, that over the default. The file is the one of ' +
      '`--config`, else of `BACKSTORY_CONFIG`, else `backstory.config.json` beside the nearest `package.json`, else ' +
      '`backstory.config.{ts,mts,js,mjs,json}` in the home. A file that is code and was found through the ' +
      'working folder is loaded by `memory …` and `config` alone: a search in a strange checkout runs nothing of it. ' +
      '[`backstory config`](cli.md#backstory-config) shows what is set, and by what.',
    table(
      ['setting', 'allowed', 'default', 'flag', 'environment', 'meaning'],
      SETTINGS.map((setting) => [
        `\`${setting.path}\``,
        setting.check.allowed,
        typeof setting.default === 'string' ? setting.default : `\`${JSON.stringify(setting.default)}\``,
        setting.flag === undefined ? '' : `\`--${setting.flag}\``,
        setting.env === undefined ? '' : `\`${setting.env}\``,
        setting.help,
      ]),
    ),
  ]);
}

function page(title, parts) {
  return `${[`# ${title}`, '<!-- Written by scripts/docs.mjs: change the tables in src/, not this page. -->', ...parts].join('\n\n')}\n`;
}

function table(head, rows) {
  const cell = (value) => String(value).replaceAll('|', '\\|').replaceAll('\n', ' ');
  const line = (cells) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function fence(language, text) {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function current(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
