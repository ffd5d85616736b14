// From outside text to what is kept: redacted whole, then cut; and the text a record is found by (EPI-2, EPI-5, EPI-82).
import type { JsonObject, JsonValue, MemoryRecord, Outcome } from '../model/episode.ts';
import { cutText } from '../model/episode.ts';
import { applyMask, type Masked } from '../redact/masked.ts';
import type { Masker } from '../redact/masker.ts';
import { sanitize } from '../text/index.ts';

/** Redacts, and counts the texts in which it hid something. */
export interface Redactor {
  text(text: string, max?: number): string;
  /** Cuts what is redacted already. */
  cut(text: string, max: number): string;
  data(data: JsonObject): JsonObject;
  /** JSON text whose keys are hidden too: a masker keeps them (MASK-7), and a host may key an object by a token. */
  keys(json: string): string;
  readonly masked: number;
}

export function redactorOf(masker: Masker): Redactor {
  let masked = 0;
  const hide = (text: string): string => {
    const hidden = applyMask(masker, text);
    if (hidden !== text) masked++;
    return hidden;
  };
  return {
    text: (text, max) => {
      const hidden = hide(text);
      return max === undefined ? hidden : cutText(hidden, max);
    },
    cut: cutText,
    data: (data) => dataOf(data, hide),
    keys: (json) => {
      try {
        return JSON.stringify(
          mapStrings(JSON.parse(json) as JsonValue, (text, key) => (key === '' ? hide(text) : text)),
        );
      } catch {
        return json;
      }
    },
    get masked() {
      return masked;
    },
  };
}

/**
 * The searched text: content, tags, every string, number and boolean of data at any depth, and other words for a run's
 * outcome. Masked, sanitized, and masked again where that changed it (TXT-2).
 */
export function searchedText(
  record: Pick<MemoryRecord, 'content' | 'tags' | 'data' | 'source'>,
  masker: Masker,
): Masked {
  const parts = [record.content, ...record.tags];
  collect(record.data, parts);
  if (record.source.type === 'run') parts.push(WORDS[record.data.outcome as Outcome] ?? '');
  let text = applyMask(masker, parts.join('\n'));
  const sanitized = sanitize(text);
  if (sanitized !== text) text = applyMask(masker, sanitized);
  return text;
}

const WORDS: Readonly<Record<Outcome, string>> = {
  ok: 'ok success succeeded',
  error: 'error failed failure',
  cancelled: 'cancelled canceled aborted',
};

function collect(value: JsonValue, into: string[]): void {
  if (value === null) return;
  if (typeof value === 'object') {
    for (const each of Object.values(value)) collect(each as JsonValue, into);
  } else into.push(String(value));
}

// Each string by itself, then the whole as JSON: only there a value stands beside the name that makes it a secret.
function dataOf(data: JsonObject, hide: (text: string) => string): JsonObject {
  const each = mapStrings(data, hide) as JsonObject;
  const json = JSON.stringify(each);
  const hidden = hide(json);
  if (hidden === json) return each;
  try {
    const parsed = JSON.parse(hidden) as unknown;
    if (parsed !== null && typeof parsed === 'object' && !Array.isArray(parsed)) return parsed as JsonObject;
  } catch {
    // A marker stands across the marks of JSON: then every value that is hidden beside its name goes.
  }
  return mapStrings(each, (text, key) =>
    hide(JSON.stringify({ [key]: text })).includes(text) ? text : HIDDEN,
  ) as JsonObject;
}

const HIDDEN = '[hidden:secret]';

function mapStrings(value: JsonValue, change: (text: string, key: string) => string, key = ''): JsonValue {
  if (typeof value === 'string') return change(value, key);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((each: JsonValue) => mapStrings(each, change, key));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [change(name, ''), mapStrings(each as JsonValue, change, name)]),
  );
}
