// Numbers that rows of a run index share: ids of pieces, groups, labels. Each is made when it is first needed.
import type Database from 'better-sqlite3';
import type { Group, IndexedConversation } from '../run-index.ts';

const HOUR_SHIFT = 43n;
const SLOT_SHIFT = 21n;
const PART = 2 ** 21;
const SLOTS = 2 ** 22;
const HOURS = 2 ** 20;

// Ids of pieces. A file's slot begins at its name's hash; where two meet, the later takes the next free one.
export function slotsOf(db: Database.Database): {
  idOf(file: number, at: number | undefined, place: number): bigint;
  forget(file?: number): void;
} {
  const find = db.prepare<[number, number], number>('SELECT no FROM slot WHERE file = ? AND part = ?').pluck();
  const taken = db.prepare<[number], number>('SELECT 1 FROM slot WHERE no = ?').pluck();
  const insert = db.prepare('INSERT INTO slot VALUES (?, ?, ?)');
  const nameOf = db.prepare<[number], Buffer>('SELECT name FROM file WHERE no = ?').pluck();
  let last: { file: number; part: number; base: bigint } | undefined;
  const slotOf = (file: number, part: number): number => {
    const known = find.get(file, part);
    if (known !== undefined) return known;
    let slot = ((nameOf.get(file)?.readUInt32BE(0) ?? 0) + part * 0x9e3779b1) % SLOTS;
    while (taken.get(slot) !== undefined) slot = (slot + 1) % SLOTS;
    insert.run(slot, file, part);
    return slot;
  };
  return {
    idOf(file, at, place) {
      const part = Math.floor(place / PART);
      if (last?.file !== file || last.part !== part) {
        last = { file, part, base: BigInt(slotOf(file, part)) << SLOT_SHIFT };
      }
      return (BigInt(hourOf(at)) << HOUR_SHIFT) + last.base + BigInt(place % PART);
    },
    forget() {
      last = undefined;
    },
  };
}

function hourOf(at: number | undefined): number {
  return at === undefined ? 0 : Math.min(HOURS - 1, Math.max(1, Math.floor(at / 3_600)));
}

export function groupsOf(db: Database.Database): { numberOf(group: Group): number; forget(): void } {
  const find = db
    .prepare<[number, number | null, number, number | null], number>(
      'SELECT no FROM "group" WHERE is_record = ? AND episode IS ? AND conversation = ? AND enclosing IS ?',
    )
    .pluck();
  const insert = db.prepare('INSERT INTO "group" (is_record, episode, conversation, enclosing) VALUES (?, ?, ?, ?)');
  const findConversation = db.prepare<[Uint8Array], number>('SELECT no FROM conversation WHERE name = ?').pluck();
  const insertConversation = db.prepare('INSERT INTO conversation VALUES (NULL, ?, ?)');
  const known = new Map<string, number>();
  // Rows of one kind share their group: no key has to be made.
  let same = new WeakMap<Group, number>();
  const conversationNo = (conversation: IndexedConversation): number => {
    if (conversation === 'unknown') return 0;
    if (conversation === 'none') return 1;
    const { name, shown } = conversation;
    return findConversation.get(name) ?? Number(insertConversation.run(name, shown).lastInsertRowid);
  };
  return {
    numberOf(group) {
      const shared = same.get(group);
      if (shared !== undefined) return shared;
      const { isRecord, episode, conversation, enclosing } = group;
      const key = `${isRecord}/${episode}/${keyOf(conversation)}/${enclosing === undefined ? '' : keyOf(enclosing)}`;
      const cached = known.get(key);
      if (cached !== undefined) {
        same.set(group, cached);
        return cached;
      }
      const fields = [
        Number(isRecord),
        episode ?? null,
        conversationNo(conversation),
        enclosing === undefined ? null : conversationNo(enclosing),
      ] as const;
      const no = find.get(...fields) ?? Number(insert.run(...fields).lastInsertRowid);
      known.set(key, no);
      return no;
    },
    forget() {
      known.clear();
      same = new WeakMap();
    },
  };
}

function keyOf(conversation: IndexedConversation): string {
  return typeof conversation === 'string' ? conversation : Buffer.from(conversation.name).toString('latin1');
}

export function labelsOf(db: Database.Database): { (text: string): number; forget(): void } {
  const find = db.prepare<[string], number>('SELECT no FROM label WHERE text = ?').pluck();
  const insert = db.prepare('INSERT INTO label VALUES (NULL, ?)');
  const known = new Map<string, number>();
  const numberOf = (text: string): number => {
    const no = known.get(text) ?? find.get(text) ?? Number(insert.run(text).lastInsertRowid);
    known.set(text, no);
    return no;
  };
  return Object.assign(numberOf, { forget: () => known.clear() });
}
