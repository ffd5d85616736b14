// The rows of cases/masking.md (MASK-75) for Masker.credentials(): shapes, URLs, headers, assignments, documents, key blocks.
import { describe, expect, test } from 'vitest';
import { Masker } from '../../src/redact/masker.ts';
import { fill, fillMarkers } from './notation.ts';

const masker = Masker.credentials();
const KEEP = Symbol('keep');
// No template: these are the placeholders of shells, written so that the linter sees it.
const $ = '$';

type Row = readonly [id: string, input: string, outcome: string | typeof KEEP, why: string];

const SHAPES: readonly Row[] = [
  ['M-1', 'x ghp_{R36}, next', 'x [c], next', 'MASK-26'],
  ['M-2', 'ghs_123456_eyJ{R40}.eyJ{R60}.{R43}', '[c]', 'MASK-26: newer form of the app token'],
  ['M-3', 'key (sk-ant-api03-{R93}AA) used', 'key ([c]) used', 'MASK-26: a bracket ends it'],
  ['M-4', 'sk-or-v1-{X64}', '[c]', 'MASK-26'],
  ['M-5', 'error from fw_{R40}: quota', 'error from [c]: quota', 'MASK-26'],
  ['M-6', 'fw_tooshort', KEEP, 'MASK-26'],
  ['M-7', 'AKIA{K16}', '[c]', 'MASK-26'],
  ['M-8', 'AKIA{K4}\x1b{K12}', '[c]', 'MASK-20'],
  ['M-9', 'ghp_{R18}\u200b{R18}', '[c]', 'MASK-20'],
  ['M-11', 'eyJ{R20}.eyJ{R30}.', '[c]', 'MASK-26: unsigned JWT'],
  ['M-12', '(key=AIzaSy{R33})', '(key=[c])', 'MASK-26'],
  ['M-13', 'sk-my-really-long-feature-branch-name-here', KEEP, 'MASK-26'],
  ['M-14', 'xai-oauth-correction-loop-retry', KEEP, 'MASK-26'],
  ['M-15', 'commit {X40} fixed it', KEEP, 'MASK-27'],
  ['M-16', 'id: 550e8400-e29b-41d4-a716-446655440000', KEEP, 'MASK-27'],
  ['M-17', '"integrity": "sha512-{R86}=="', KEEP, 'MASK-27'],
  ['M-18', 'callFunctionCheckIfDataAlreadyExistsPerpetualSubinventory', KEEP, 'MASK-27'],
  ['M-19', '- (id)hf_requiredCharacteristicTypesForDisplayMetadata;', KEEP, 'MASK-26: 34 letters exactly'],
  [
    'M-20',
    'https://hooks.slack.com/services/T0000AAAA/B0000BBBB/{R24}',
    'https://hooks.slack.com/[c]',
    'MASK-26: host kept, path hidden',
  ],
  ['M-21', 'xhf_{L34}', KEEP, 'MASK-26: border'],
  [
    'M-22',
    'git clone https://oauth2:glpat-{R20}@gitlab.example/a.git',
    'git clone https://oauth2:[c]@gitlab.example/a.git',
    'MASK-12: one marker',
  ],
];

const URLS: readonly Row[] = [
  ['M-30', 'postgres://test:test@127.0.0.1', 'postgres://test:[c]@127.0.0.1', 'MASK-29'],
  ['M-31', 'redis://:s3cr3tpassword@h:6379', 'redis://:[c]@h:6379', 'MASK-29'],
  ['M-32', 'mysql://user:p@ss@w0rd@dbhost:3306/app', 'mysql://user:[c]@dbhost:3306/app', 'MASK-29: last @'],
  ['M-33', 'postgres://u:pa/ss8word@dbhost/app', 'postgres://u:[c]@dbhost/app', 'MASK-29'],
  ['M-34', 'see http://localhost:3000/a@b', KEEP, 'MASK-29'],
  ['M-35', 'git clone ssh://git@github.com:22/x', KEEP, 'MASK-29'],
  ['M-36', `postgres://user:${$}{DB_PASS}@host/db`, KEEP, 'MASK-36'],
  ['M-37', 'get?apikey=aAbBcCdDeF&lang=en', 'get?apikey=[c]&lang=en', 'MASK-30'],
  ['M-38', 'Proxy-Authorization: Basic dXNlcjpwYXNzd29yZA==', 'Proxy-Authorization: Basic [c]', 'MASK-31'],
  ['M-39', 'Cookie: session={R32}; theme=dark', 'Cookie: [c]', 'MASK-31'],
  ['M-40', 'just a basic english sentence', KEEP, 'MASK-31'],
  ['M-41', `Authorization: Bearer ${$}API_KEY`, KEEP, 'MASK-31, MASK-36'],
  ['M-42', 'curl -u bob:hunter2pw https://x', 'curl -u bob:[c] https://x', 'MASK-32'],
  ['M-43', 'curl -u ":hunter2pw" https://x', 'curl -u ":[c]" https://x', 'MASK-32'],
  ['M-44', `curl --user '${$}U:${$}P' https://x`, KEEP, 'MASK-32, MASK-36'],
  ['M-45', 'mysql --password=MyRootPass2026 -u root', 'mysql --password=[c] -u root', 'MASK-32'],
  ['M-46', 'gpg --passphrase hunter2pw -d x', 'gpg --passphrase [c] -d x', 'MASK-32'],
  ['M-47', 'run with --password from the keychain', KEEP, 'MASK-32'],
  [
    'M-48',
    '//registry.example/:_authToken=6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9',
    '//registry.example/:_authToken=[c]',
    'MASK-33',
  ],
];

const ASSIGNMENTS: readonly Row[] = [
  ['M-60', "password: 'P@ssword1234'", "password: '[c]'", 'MASK-35'],
  ['M-61', "basicAuth: 'admin:admin'", "basicAuth: '[c]'", 'MASK-33'],
  ['M-62', '"client_secret" : "{X64}"', '"client_secret" : "[c]"', 'MASK-34'],
  ['M-63', '"Jwt__Token" = "SomeTokenXyzabc"', '"Jwt__Token" = "[c]"', 'MASK-34'],
  [
    'M-64',
    'Server=tcp:x,1433;User ID=a@b;Password=myPassword;Encrypt=True',
    'Server=tcp:x,1433;User ID=a@b;Password=[c];Encrypt=True',
    'MASK-35: connection string',
  ],
  ['M-65', `${$}password = "Testing_Purpose_88_**"`, `${$}password = "[c]"`, 'MASK-28'],
  ['M-66', 'with password "S3cr3tP@ssw0rd!"', 'with password "[c]"', 'MASK-37'],
  ['M-67', 'role "postgres" does not exist', KEEP, 'MASK-37'],
  ['M-68', 'the admin password is hunter2-x', 'the admin password is [c]', 'MASK-37'],
  ['M-69', 'the password is wrong', KEEP, 'MASK-37'],
  ['M-70', 'пароль: hunter2secretvalue123', 'пароль: [c]', 'MASK-33'],
  ['M-71', 'providerApiKey: {R24}', 'providerApiKey: [c]', 'MASK-33: compound name'],
  ['M-72', 'prompt_tokens: 1234567890, total_tokens=4567890123', KEEP, 'MASK-33: plural'],
  ['M-73', 'source_token_count=source_tokens', KEEP, 'MASK-33: last word'],
  ['M-74', 'MONGO_PASSWORD_FILE=/run/secrets/db_username', KEEP, 'MASK-33'],
  ['M-75', 'LLM_SECRET_NAME = "NEXUS-GPT4-API-KEY"', KEEP, 'MASK-33'],
  ['M-76', 'key_algorithm = "EC_secp384r1"', KEEP, 'MASK-33'],
  ['M-77', "GITHUB_TOKEN: os.getenv('AWS_SECRET_ACCESS_KEY')", KEEP, 'MASK-36'],
  ['M-78', 'if let token = timeObserverToken', KEEP, 'MASK-35'],
  ['M-79', '{\\"password\\":\\"hunter2pw\\"}', '{\\"password\\":\\"[c]\\"}', 'MASK-21'],
  ['M-80', 'DB_PASSWORD=hunter2', 'DB_PASSWORD=[c]', 'MASK-35'],
  ['M-81', 'DB_PASSWORD="correct horse battery"', 'DB_PASSWORD="[c]"', 'MASK-35'],
  ['M-82', `X_TOKEN="${$}{X_TOKEN:-literal1234567890}"`, `X_TOKEN="${$}{X_TOKEN:-[c]}"`, 'MASK-36: default'],
  ['M-83', 'failed (password=fixture-secret); retry', 'failed (password=[c]); retry', 'MASK-35: closing bracket'],
  ['M-84', 'token="unterminated retry', 'token="[c]', 'MASK-35: no closing quote'],
  ['M-85', 'password reset link sent to your inbox', KEEP, 'MASK-34: white space is no assignment'],
  ['M-86', 'at com.example.auth.TokenService.parse(TokenService.java:44)', KEEP, 'MASK-33'],
  ['M-87', 'api_key=[hidden:credential]', KEEP, 'MASK-12'],
  ['M-88', 'SNYK_TOKEN ?= "12345678-ABCD-ABCD-ABCD-1234567890AB"', 'SNYK_TOKEN ?= "[c]"', 'MASK-34'],
  ['M-89', '<add key="Password" value="CleartextPw1" />', '<add key="Password" value="[c]" />', 'MASK-34'],
  ['M-90', 'kind: Secret\ndata:\n  x: YWRtaW46cGFzc3dvcmQ=', 'kind: Secret\ndata:\n  x: [c]', 'MASK-38'],
  ['M-91', 'kind: ConfigMap\ndata:\n  x: YWRtaW46cGFzc3dvcmQ=', KEEP, 'MASK-38'],
];

const BLOCK = '{D}BEGIN RSA PRIVATE KEY{D}\n{B3}\n{D}END RSA PRIVATE KEY{D}';
const KEY_BLOCKS: readonly Row[] = [
  ['M-100', BLOCK, '[k]\n\n\n\n', 'MASK-22, MASK-6'],
  ['M-101', 'a\n{D}BEGIN PRIVATE KEY{D}\n{B3}', 'a\n[k]\n\n\n', 'MASK-23: no END'],
  [
    'M-102',
    '{D}BEGIN RSA PRIVATE KEY{D}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB\n\n{B3}',
    '[k]\n\n\n\n\n\n',
    'MASK-23: headers and no END',
  ],
  [
    'M-103',
    `${BLOCK}\n{D}BEGIN CERTIFICATE{D}\n{B3}\n{D}END CERTIFICATE{D}\nprose`,
    '[k]\n\n\n\n\n{D}BEGIN CERTIFICATE{D}\n{B3}\n{D}END CERTIFICATE{D}\nprose',
    'MASK-23: certificate and prose kept',
  ],
  [
    'M-103, its END lost',
    '{D}BEGIN PRIVATE KEY{D}\n{B3}\n{D}BEGIN CERTIFICATE{D}\n{B3}\n{D}END CERTIFICATE{D}\nprose',
    '[k]\n\n\n\n{D}BEGIN CERTIFICATE{D}\n{B3}\n{D}END CERTIFICATE{D}\nprose',
    'MASK-23: something public ends it',
  ],
  ['M-107', '{B3}\n{D}END RSA PRIVATE KEY{D}', '[k]\n\n\n', 'MASK-23: END without BEGIN'],
  ['M-108', '{D}BEGIN PUBLIC KEY{D}\n{B3}\n{D}END PUBLIC KEY{D}', KEEP, 'MASK-23'],
  [
    'M-110',
    '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n{B3}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----',
    '[k]\n\n\n\n',
    'MASK-22',
  ],
  ['PuTTY', 'a\nPrivate-Lines: 3\n{B3}\nPrivate-MAC: {X40}\nb', 'a\n[k]\n\n\n\n\nb', 'MASK-22'],
  [
    'PGP',
    '{D}BEGIN PGP PRIVATE KEY BLOCK{D}\nVersion: x\n\n{B3}\n{D}END PGP PRIVATE KEY BLOCK{D}',
    '[k]\n\n\n\n\n\n',
    'MASK-22',
  ],
  ['PGP public', '{D}BEGIN PGP PUBLIC KEY BLOCK{D}\n{B3}\n{D}END PGP PUBLIC KEY BLOCK{D}', KEEP, 'MASK-23'],
  ['PGP message', '{D}BEGIN PGP MESSAGE{D}\n{B3}\n{D}END PGP MESSAGE{D}', KEEP, 'MASK-23'],
];

const EMPTY: readonly Row[] = [
  ['M-122', '', KEEP, 'MASK-3'],
  ['M-122', '\ud800', KEEP, 'MASK-3'],
  ['M-122', '\0\0', KEEP, 'MASK-3'],
];

describe.each([
  ['shapes', SHAPES],
  ['URLs, headers, command lines', URLS],
  ['assignments, prose, documents', ASSIGNMENTS],
  ['key blocks', KEY_BLOCKS],
  ['bounds', EMPTY],
])('cases: %s', (_name, rows) => {
  test.each(rows)('$3 ($0): $1', (id, input, outcome) => {
    const text = fill(input);
    const expected = outcome === KEEP ? text : fillMarkers(outcome as string);
    const once = masker.mask(text);
    expect(once, id).toBe(expected);
    expect(masker.mask(once), 'MASK-5').toBe(once);
    for (let at = 0; at <= text.length; at++) {
      const first = masker.maskPart!(text.slice(0, at), '', false);
      const second = masker.maskPart!(text.slice(at - first.held), first.state, true);
      expect(first.text + second.text, 'MASK-9a').toBe(once);
    }
  });

  test.each(rows)('MASK-7 ($0): the same inside a JSON string', (_id, input, outcome) => {
    const text = fill(input);
    const json = JSON.stringify({ text, x: 1 });
    const masked = JSON.parse(masker.mask(json)) as { text: string; x: number };
    expect(masked.x).toBe(1);
    if (outcome === KEEP) expect(masked.text).toBe(text);
    // How far a block of lines goes is up to its form; what must not be left is any of the value.
    else expect(longestShared(text, masked.text, fillMarkers(outcome as string))).toBeLessThan(6);
  });
});

/** Length of the longest run of the text that should have been hidden and is still there. */
function longestShared(text: string, masked: string, expected: string): number {
  let longest = 0;
  for (let start = 0; start + 6 <= text.length; start++) {
    const piece = text.slice(start, start + 6);
    if (masked.includes(piece) && !expected.includes(piece)) longest = 6;
  }
  return longest;
}

describe('cases that are more than a row', () => {
  const body = fill('{R64}');

  test('M-10 (MASK-20): two tokens with a control character between them', () => {
    const token = fill('eyJ{R20}.eyJ{R30}.{R43}');
    const masked = masker.mask(`${token}\x01${token}`);
    for (let at = 0; at + 8 <= token.length; at++) expect(masked).not.toContain(token.slice(at, at + 8));
  });

  test('M-104 (MASK-7): a key in JSON leaves valid JSON, and the field after it', () => {
    const text = fill('{"private_key":"{D}BEGIN PRIVATE KEY{D}\\n{R64}\\n{D}END PRIVATE KEY{D}\\n","x":1}');
    const masked = masker.mask(text);
    expect(JSON.parse(masked)).toMatchObject({ x: 1 });
    expect(masked).toContain('[hidden:private-key]');
    expect(masked).not.toContain(body.slice(0, 8));
  });

  test.each([
    ['M-105', (line: string, index: number) => `  ${index}\t${line}`],
    ['M-106', (line: string) => `  ${line}`],
    ['M-106', (line: string) => `> ${line}`],
    ['M-106', (line: string) => `| ${line}`],
    ['M-106', (line: string) => `${line}\r`],
    ['MASK-23', (line: string) => `+ ${line}`],
    ['MASK-23', (line: string, index: number) => `${index}→${line}`],
  ])('%s (MASK-23): no body is left behind prefixes, with BEGIN or without', (_id, prefix) => {
    const lines = fill(BLOCK).split('\n').map(prefix);
    expect(masker.mask(lines.join('\n'))).not.toContain(body.slice(0, 8));
    expect(masker.mask(lines.slice(1).join('\n'))).not.toContain(body.slice(0, 8));
  });

  test('MASK-23: a whole block on one line, between words', () => {
    for (const between of [' ', '', '\\n', '\\\\n']) {
      const masked = masker.mask(`x ${fill(BLOCK).replaceAll('\n', between)} y`);
      expect(masked).toBe('x [hidden:private-key] y');
    }
  });

  test('M-92 (MASK-27): lines of checksums are kept', () => {
    const text = fill('packageManager: pnpm@9.0.0+sha512.{X128}\n').repeat(10_000);
    expect(masker.mask(text)).toBe(text);
  });

  test('M-112 (MASK-23): body lines without BEGIN and END are kept', () => {
    const text = `${body}\n`.repeat(4_000);
    expect(masker.mask(text)).toBe(text);
  });

  test('MASK-7: a number under a secret name becomes a string, and the JSON stays valid', () => {
    expect(masker.mask('{"password": 12345678, "n": 1}')).toBe('{"password": "[hidden:credential]", "n": 1}');
  });
});
