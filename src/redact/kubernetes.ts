// Values of Kubernetes secrets, in YAML and in JSON (MASK-38). Which document is one is told by its `kind`.
import type { Hits } from './hints.ts';
import { isPlaceholder } from './placeholders.ts';
import type { Range } from './ranges.ts';

export const KUBERNETES_HINTS: readonly string[] = ['kind:', 'kind":', "kind':", 'kind" :', 'kind :'];

export function findKubernetesSecrets(text: string, hits: Hits): Range[] {
  if (hits.length === 0 || !KIND_SECRET.test(text)) return [];
  return [...yamlSecrets(linesOf(text)).found, ...escapedDocuments(text), ...jsonSecrets(text).found];
}

const KIND_SECRET = /kind["']?[ \t]{0,3}:[ \t]{0,3}["']?secret/i;

/** What a section's end leaves open of documents: `''` when no secret is among them, else at most 100 units (MASK-24). */
export interface KubernetesSection {
  readonly found: readonly Range[];
  readonly state: string;
}

/** The same for a section of a text, `state` being what the section before gave. */
export function kubernetesSection(text: string, state: string): KubernetesSection {
  if (state === '' && !KIND_SECRET.test(text)) return { found: [], state: '' };
  const [, yamlState, jsonState = ''] = /^y(-?[\d,-]*)j([bsd-]*)$/.exec(state) ?? [];
  const yaml = yamlSecrets(linesOf(text), yamlState);
  const json = jsonSecrets(text, jsonState);
  const isOpen = yaml.state.startsWith('1') || /[bs]/.test(json.state);
  return {
    found: [...yaml.found, ...escapedDocuments(text), ...json.found],
    state: isOpen ? `y${yaml.state}j${json.state}` : '',
  };
}

interface Line {
  readonly text: string;
  /** Where it begins in the whole text. */
  readonly start: number;
}

function* linesOf(text: string): Generator<Line> {
  for (let start = 0; start <= text.length; ) {
    const lineFeed = text.indexOf('\n', start);
    const end = lineFeed === -1 ? text.length : lineFeed;
    yield { text: text.slice(start, Math.min(end, start + 65_536)), start };
    start = end + 1;
  }
}

/** Documents within a string, their lines parted by the escape of a line feed (MASK-21). */
function escapedDocuments(text: string): Range[] {
  const found: Range[] = [];
  for (const line of linesOf(text)) {
    if (!line.text.includes('\\n') || !KIND_SECRET.test(line.text)) continue;
    const lines: Line[] = [];
    let start = 0;
    for (const match of line.text.matchAll(/(?:\\{1,7}r)?\\{1,7}n|$/g)) {
      const part = line.text.slice(start, match.index);
      // The quotes of the string around are no part of its first and last line.
      const opened = start === 0 ? part.lastIndexOf('"') + 1 : 0;
      const closed = /\\*"/.exec(part.slice(opened))?.index ?? part.length - opened;
      lines.push({ text: part.slice(opened, opened + closed), start: line.start + start + opened });
      start = match.index + match[0].length;
    }
    found.push(...yamlSecrets(lines).found);
  }
  return found;
}

interface YamlDocument {
  isSecret: boolean;
  readonly found: Range[];
}

/** Line by line: a document is judged when it ends, since `kind` may stand behind `data`. */
function yamlSecrets(
  lines: Iterable<Line>,
  before = '0,-1,-1,-1',
): { readonly found: Range[]; readonly state: string } {
  const found: Range[] = [];
  const given = before.split(',').map(Number);
  let document: YamlDocument = { isSecret: given[0] === 1, found: [] };
  let kindIndent = given[1] ?? -1;
  // Indent of the `data:` line that is open, and of a block scalar's key in it.
  let data = given[2] ?? -1;
  let block: { readonly indent: number; readonly parts: Range[] } | undefined;
  if ((given[3] ?? -1) >= 0) block = { indent: given[3]!, parts: [{ start: 0, end: 0, goesOn: true }] };
  const endBlock = (): void => {
    const [first, last] = [block?.parts[0], block?.parts.at(-1)];
    if (first && last) document.found.push({ ...first, end: last.end });
    block = undefined;
  };
  for (const { text: line, start } of lines) {
    const length = line.trimEnd().length;
    const indent = /^[ \t]*/.exec(line)![0].length;
    if (indent >= length) continue;
    if (/^---(?:\s|$)/.test(line)) {
      endBlock();
      if (document.isSecret) found.push(...document.found);
      document = { isSecret: false, found: [] };
      data = -1;
      kindIndent = -1;
      continue;
    }
    if (block && indent > block.indent) {
      block.parts.push({ start: start + indent, end: start + length });
      continue;
    }
    endBlock();
    const kind = KIND.exec(line);
    if (kind && (kindIndent === -1 || indent <= kindIndent)) {
      kindIndent = indent;
      document.isSecret = kind[1]!.toLowerCase() === 'secret';
    }
    if (data !== -1 && indent <= data) data = -1;
    if (data === -1) {
      if (DATA.test(line)) data = indent;
      continue;
    }
    const entry = yamlEntry(line);
    if (entry === 'block') block = { indent, parts: [] };
    else if (entry) document.found.push({ start: start + entry.start, end: start + entry.end });
  }
  const state = [document.isSecret ? 1 : 0, kindIndent, data, block?.indent ?? -1].join(',');
  endBlock();
  if (document.isSecret) found.push(...document.found);
  return { found, state };
}

const KIND = /^[ \t]*(?:- )?["']?kind["']?[ \t]*:[ \t]*["']?(\w+)["']?[ \t\r]*(?:#.*)?$/i;
const DATA = /^[ \t]*["']?(?:data|stringData)["']?[ \t]*:[ \t\r]*(?:#.*)?$/;

/** `key: value` of a line; the value is 8 units and more, and no template. */
function yamlEntry(line: string): Range | 'block' | undefined {
  const match = /^[ \t]*["']?[\w.-]{1,253}["']?[ \t]*:[ \t]*/.exec(line);
  if (!match) return undefined;
  const value = line.slice(match[0].length).trimEnd();
  if (/^[|>][-+\d]{0,2}$/.test(value)) return 'block';
  const quoted = value.length > 1 && /["']/.test(value[0]!) && value.endsWith(value[0]!);
  const content = quoted ? value.slice(1, -1) : value;
  const start = match[0].length + (quoted ? 1 : 0);
  return isSecretValue(content) ? { start, end: start + content.length } : undefined;
}

function isSecretValue(value: string): boolean {
  return value.length >= 8 && !isPlaceholder(value) && !/^ENC\[.*\]$/.test(value) && !/^\{\{.*\}\}$/.test(value);
}

interface JsonObject {
  isSecret: boolean;
  readonly found: Range[];
  /** This object is the value of `data` or `stringData`. */
  readonly isData: boolean;
}

/** Objects know their `kind` when they end; only what stands directly in `data` or `stringData` counts. */
function jsonSecrets(text: string, before = ''): { readonly found: Range[]; readonly state: string } {
  const found: Range[] = [];
  const open: JsonObject[] = [...before].map((unit) => ({
    isSecret: unit === 's' || unit === 'b',
    isData: unit === 'd' || unit === 'b',
    found: [],
  }));
  let key = '';
  for (let at = 0; at < text.length; at++) {
    const unit = text[at];
    const object = open[open.length - 1];
    if (unit === '"') {
      const start = at + 1;
      const end = stringEnd(text, start);
      at = end;
      const colon = /^[ \t\r\n]{0,16}:/.test(text.slice(end + 1, end + 18));
      const content = end - start <= 65_536 ? text.slice(start, end) : '';
      if (colon) key = content;
      else {
        if (object && key === 'kind') object.isSecret = content.toLowerCase() === 'secret';
        else if (object?.isData && key !== '' && isSecretValue(content)) object.found.push({ start, end });
        key = '';
      }
    } else if (unit === '{') {
      open.push({ isSecret: false, found: [], isData: key === 'data' || key === 'stringData' });
      key = '';
    } else if (unit === '}') {
      const closed = open.pop();
      const parent = open[open.length - 1];
      if (closed?.isData) parent?.found.push(...closed.found);
      else if (closed?.isSecret) found.push(...closed.found);
      key = '';
    } else if (unit === ',') key = '';
  }
  open.forEach((object, index) => {
    if (object.isSecret || (object.isData && open[index - 1]?.isSecret)) found.push(...object.found);
  });
  return { found, state: open.slice(-MAX_OPEN).map(letterOf).join('') };
}

/** An object in a section's state: what it is said to be, and whether it is the data of the one around it. */
function letterOf({ isSecret, isData }: JsonObject): string {
  if (isSecret) return isData ? 'b' : 's';
  return isData ? 'd' : '-';
}

/** How many open objects a section hands on. */
const MAX_OPEN = 64;

/** At the closing quote, or at the end of the line that has none. */
function stringEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && text[end] !== '"' && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1;
  return end;
}
