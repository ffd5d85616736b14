// Which names are names of secrets: by their last word, or the last two joined (MASK-33).
import { isAlphanumeric, isWordUnit } from './borders.ts';

/** Last words of secret names, and the last words of pairs. Longer ones first is not needed: all are looked for at once. */
const WORDS = [
  ...['password', 'passwd', 'pwd', 'pass', 'passphrase', 'secret', 'token', 'credential', 'credentials', 'apikey'],
  ...['key', 'auth', 'login', 'pass phrase', 'pass_phrase', 'pass-phrase'],
  ...[
    'пароль',
    'токен',
    'секрет',
    'パスワード',
    '비밀번호',
    'contraseña',
    'senha',
    'passwort',
    'mot de passe',
    'parola',
  ],
  ...['hasło', 'şifre', 'пароля', 'kennwort', 'contrasena'],
];
/** Hints need three units: words of two stand with what may follow them. */
const SHORT_WORDS = ['密码', '密钥', '令牌', '密碼', '金鑰', '암호'];
const AFTER_SHORT = [':', '=', '：', ' ', '"', "'", '是', '为'];

export const NAME_HINTS: readonly string[] = [
  ...WORDS,
  ...SHORT_WORDS.flatMap((word) => AFTER_SHORT.map((after) => word + after)),
];

/** Units of the word that hint `number` stands for. */
export function wordOf(number: number): string {
  const hint = NAME_HINTS[number]!;
  return number < WORDS.length ? hint : hint.slice(0, -1);
}

/** Units between the end of hint `number` and the end of its word. */
export function overhangOf(number: number): number {
  return number < WORDS.length ? 0 : 1;
}

/** Words that make a name secret together with `key` behind them. */
const BEFORE_KEY = [
  'api',
  'access',
  'account',
  'secret',
  'private',
  'auth',
  'signing',
  'encryption',
  'master',
  'shared',
];
const ALSO_BEFORE_KEY = ['license', 'client', 'encrypt', 'crypt', 'hmac', 'jwt', 'signature', 'decryption'];
/** Products whose `_KEY` and `_LOGIN` are secrets. */
const VENDORS = [
  ...[
    'adafruit',
    'airtable',
    'algolia',
    'alibaba',
    'amplitude',
    'anthropic',
    'artifactory',
    'asana',
    'atlassian',
    'aws',
  ],
  ...['azure', 'beamer', 'bitbucket', 'buildkite', 'cargo', 'circleci', 'claude', 'clojars', 'cloudflare', 'codecov'],
  ...['cohere', 'coinbase', 'confluent', 'contentful', 'databricks', 'datadog', 'deepseek', 'digitalocean', 'discord'],
  ...['docker', 'doppler', 'dropbox', 'dynatrace', 'easypost', 'elevenlabs', 'etsy', 'facebook', 'fastly', 'figma'],
  ...['finicity', 'firebase', 'fireworks', 'flickr', 'gemini', 'github', 'gitlab', 'gitter', 'gocardless', 'google'],
  ...[
    'grafana',
    'groq',
    'heroku',
    'hubspot',
    'huggingface',
    'infracost',
    'intercom',
    'jfrog',
    'jira',
    'kraken',
    'kucoin',
  ],
  ...['launchdarkly', 'linear', 'linkedin', 'lob', 'looker', 'loki', 'mailchimp', 'mailgun', 'mapbox', 'mattermost'],
  ...[
    'messagebird',
    'meraki',
    'microsoft',
    'mistral',
    'netlify',
    'newrelic',
    'notion',
    'npm',
    'nytimes',
    'okta',
    'openai',
  ],
  ...[
    'openrouter',
    'pagerduty',
    'paypal',
    'perplexity',
    'pinecone',
    'plaid',
    'planetscale',
    'postman',
    'pulumi',
    'pypi',
  ],
  ...[
    'rapidapi',
    'replicate',
    'rubygems',
    'sendbird',
    'sendgrid',
    'sendinblue',
    'sentry',
    'shippo',
    'shopify',
    'sidekiq',
  ],
  ...['slack', 'snyk', 'sonar', 'sonarqube', 'sourcegraph', 'splunk', 'square', 'squarespace', 'stripe', 'sumo'],
  ...['sumologic', 'supabase', 'telegram', 'terraform', 'together', 'travis', 'trello', 'twilio', 'twitch', 'twitter'],
  ...['typeform', 'vault', 'vercel', 'voyage', 'xai', 'yandex', 'zendesk', 'zoom'],
];
const KEY_WORDS = new Set([...BEFORE_KEY, ...ALSO_BEFORE_KEY, ...VENDORS]);
const VENDOR_WORDS = new Set(VENDORS);
/** A last word of several in one, without a border between them: `mypassword`, `authtoken`. */
const GLUED =
  /(?:password|passwd|passphrase|clientsecret|apikey|accesskey|secretkey|privatekey|authtoken|accesstoken)$/;
const BEARS_GLUE = new Set(['password', 'passwd', 'passphrase', 'secret', 'key', 'token', 'apikey']);

export interface Name {
  readonly start: number;
  readonly end: number;
  readonly word: string;
  /** Counts with a quoted value only. */
  readonly quotedOnly: boolean;
}

/** The secret name whose last word stands at [start, end), digits at its end included; undefined if it is none. */
export function secretName(text: string, start: number, end: number, word: string): Name | undefined {
  const nameStart = startOfName(text, start);
  if (/public/i.test(text.slice(nameStart, start))) return undefined;
  const name = { start: nameStart, end, word, quotedOnly: word === 'auth' };
  if (wordBeginsAt(text, start)) {
    if (word === 'key') return KEY_WORDS.has(wordBefore(text, start)) ? name : undefined;
    if (word === 'login') return VENDOR_WORDS.has(wordBefore(text, start)) ? name : undefined;
    return name;
  }
  if (!BEARS_GLUE.has(word)) return undefined;
  const glued = text.slice(Math.max(nameStart, start - 40), start).match(/[A-Za-z]+$/)?.[0] ?? '';
  const last = (glued + word).toLowerCase();
  if (GLUED.test(last)) return name;
  // `hubspotkey`, `stripekey`: a vendor's name in one word with the key.
  return word === 'key' && VENDOR_WORDS.has(glued.toLowerCase()) ? name : undefined;
}

/** Back over `_`, `-`, `.`, `$`, letters and digits; a name in words (`API key`) keeps only its last part. */
function startOfName(text: string, start: number): number {
  let at = start;
  while (at > 0 && start - at < 96) {
    const code = text.charCodeAt(at - 1);
    if (!isWordUnit(code) && code !== HYPHEN && code !== DOT && code !== DOLLAR) break;
    at--;
  }
  return at;
}

/** A border of words: anything but a letter, a digit, or a camel hump. */
function wordBeginsAt(text: string, start: number): boolean {
  if (start === 0) return true;
  const before = text[start - 1]!;
  const first = text[start]!;
  if (!isAlphanumeric(before.charCodeAt(0)))
    return first.charCodeAt(0) < 128 || !isWordUnit(before.charCodeAt(0)) || before === '_';
  if (/\d/.test(before)) return true;
  if (/[nrtbf]/.test(before) && text[start - 2] === '\\') return true;
  if (!/[A-Z]/.test(first)) return false;
  return /[a-z]/.test(before) || /[a-z]/.test(text[start + 1] ?? '');
}

/** The word before `start`, in lower case: behind one of `_ - . space` and camel humps. */
function wordBefore(text: string, start: number): string {
  const before = text.slice(Math.max(0, start - 32), start).replace(/[\d_.\- ]{0,4}$/, '');
  const word = /[A-Za-z]+$/.exec(before)?.[0] ?? '';
  // The last hump of a camel-case word, or all of one in capitals.
  return (/[A-Z]?[a-z]+$/.exec(word)?.[0] ?? /[A-Z]+$/.exec(word)?.[0] ?? word).toLowerCase();
}

const HYPHEN = 45;
const DOT = 46;
const DOLLAR = 36;
