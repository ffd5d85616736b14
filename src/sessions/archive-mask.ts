// What leaves in an archive for other eyes: every text masked, and nothing that leads to an unmasked one (SUR-72, SES-140).
import type { HostJson, StoredBlock } from '../model/session.ts';
import { applyMask } from '../redact/masked.ts';
import type { Masker } from '../redact/masker.ts';
import type { ArchivedEntry, ArchivedRecord, ArchivedSession } from '../store/archive.ts';

export interface ArchiveMasks {
  session(session: ArchivedSession): ArchivedSession;
  entry(entry: ArchivedEntry): ArchivedEntry;
  record(record: ArchivedRecord): ArchivedRecord;
}

/** Ids, keys, names of tools and types stay; titles, folders, names of people, texts, arguments and results are masked. */
export function archiveMasks(masker: Masker): ArchiveMasks {
  const hide = (text: string): string => applyMask(masker, text);
  return {
    session: ({ title, project, origin, ...rest }) => ({
      ...rest,
      ...(title === undefined ? {} : { title: hide(title) }),
      ...(project === undefined ? {} : { project: hide(project) }),
      ...(origin === undefined ? {} : { origin: maskedJson(origin, hide) as typeof origin }),
    }),
    entry: ({ author, blocks, apart, ...rest }) => ({
      ...rest,
      ...(author === undefined
        ? {}
        : { author: author.name === undefined ? author : { ...author, name: hide(author.name) } }),
      ...(blocks === undefined ? {} : { blocks: blocks.map((block) => maskedBlock(block, hide)) }),
      ...(apart === undefined
        ? {}
        : { apart: Object.fromEntries(Object.entries(apart).map(([no, json]) => [no, maskedText(json, hide)])) }),
    }),
    record: ({ record, ...rest }) => ({
      ...rest,
      record: {
        ...record,
        content: hide(record.content),
        data: maskedJson(record.data, hide) as typeof record.data,
        tags: record.tags.map(hide),
      },
    }),
  };
}

// A pointer leads into a host's file, which nothing masks.
function maskedBlock(block: StoredBlock, hide: (text: string) => string): StoredBlock {
  const { pointer: _, ...rest } = block as StoredBlock & { pointer?: unknown };
  const shown = { ...rest } as Record<string, unknown>;
  for (const name of ['text', 'input']) if (typeof shown[name] === 'string') shown[name] = hide(shown[name]);
  const host = shown.host as HostJson | undefined;
  if (typeof host === 'string') shown.host = maskedText(host, hide);
  return shown as unknown as StoredBlock;
}

function maskedText(json: string, hide: (text: string) => string): string {
  return JSON.stringify(maskedJson(JSON.parse(json), hide));
}

// Each string by itself, then beside its name, which may be what makes it a secret.
function maskedJson(value: unknown, hide: (text: string) => string, key = ''): unknown {
  if (typeof value === 'string') {
    const hidden = hide(value);
    if (key === '' || hidden === '' || hidden !== value) return hidden;
    return hide(JSON.stringify({ [key]: hidden })).includes(JSON.stringify(hidden).slice(1, -1)) ? hidden : HIDDEN;
  }
  if (Array.isArray(value)) return value.map((each) => maskedJson(each, hide, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [hide(name), maskedJson(each, hide, name)]));
}

const HIDDEN = '[hidden:secret]';
