// Rows and index of extra texts in a write transaction (SES-45). The schema's triggers take them away with their entries.
import type Database from 'better-sqlite3';
import { EXTRA_ROLES, type ExtraProgress, type ExtraWriting } from '../extra.ts';
import { indexForm } from './index-writing.ts';
import { lazily } from './lazily.ts';

export const PROGRESS = "SELECT value FROM meta WHERE name = 'extra'";

export function extraWriting(db: Database.Database): ExtraWriting {
  const progress = lazily<[], { value: string }>(db, PROGRESS);
  const setProgress = lazily(db, "INSERT OR REPLACE INTO meta (name, value) VALUES ('extra', ?)");
  const noProgress = lazily(db, "DELETE FROM meta WHERE name = 'extra'");
  const blocksOf = lazily<[number], { blocks: string | null }>(db, 'SELECT blocks FROM entry WHERE id = ?');
  const insert = lazily(db, 'INSERT OR REPLACE INTO extra (id, length, text) VALUES (?, ?, ?)');
  const remove = lazily(db, 'DELETE FROM extra WHERE id = ?');
  const insertFts = lazily(db, 'INSERT INTO extra_fts (rowid, text) VALUES (?, ?)');
  const removeFts = lazily(db, 'DELETE FROM extra_fts WHERE rowid = ?');
  const seenAgain = lazily(db, 'DELETE FROM extra_again WHERE entry = ?');
  return {
    resetExtra(of) {
      db.exec("INSERT INTO extra_fts (extra_fts) VALUES ('delete-all'); DELETE FROM extra; DELETE FROM extra_again");
      if (of === undefined) noProgress.run();
      else setProgress.run(JSON.stringify({ of, through: 0 } satisfies ExtraProgress));
    },
    advanceExtra(from, through) {
      if (progress.get()?.value !== JSON.stringify({ of: from.of, through: from.through })) return false;
      if (through !== from.through) setProgress.run(JSON.stringify({ of: from.of, through }));
      return true;
    },
    putExtra({ id, version }, texts) {
      const row = blocksOf.get(id);
      // It changed since it was read, and was noted to be looked at again.
      if (row === undefined || (version !== undefined && row.blocks !== version)) return;
      for (const [place, role] of EXTRA_ROLES.entries()) {
        const number = id * 2 + place;
        if (remove.run(number).changes > 0) removeFts.run(BigInt(number));
        const text = texts[role];
        if (text === undefined || text.trim() === '') continue;
        insert.run(number, text.length, text);
        insertFts.run(BigInt(number), indexForm(text));
      }
      seenAgain.run(id);
    },
  };
}
