// Source instances and the files read from them, in a write transaction.
import type Database from 'better-sqlite3';
import type { Reading } from '../reading.ts';
import type { FileChange, FileRecord, InstanceRecord, Writing } from '../writing.ts';
import { lazily } from './lazily.ts';
import type { Sight } from './search-scope.ts';

type FileWriting = Pick<
  Writing,
  'instance' | 'file' | 'fileState' | 'putFile' | 'synced' | 'goneFiles' | 'forgetFiles' | 'lease' | 'meta' | 'setMeta'
>;

const FILES = `
  SELECT f.no, f.path, f.dev, f.ino, f.size, f.mtime, f.ctime, f.settled, f.reader, f.outcome, f.tries, f.retry_at,
         f.version, f.session, s.project FROM file f LEFT JOIN session s ON s.no = f.session WHERE f.instance = ? AND f.gone_at IS NULL`;
const FILE = `
  SELECT f.no, f.path, f.dev, f.ino, f.size, f.mtime, f.ctime, f.settled, f.reader, f.outcome, f.tries, f.retry_at,
         f.version, f.session, s.project FROM file f LEFT JOIN session s ON s.no = f.session WHERE f.instance = ? AND f.path = ?`;
const COUNTS = `
  SELECT c.key AS name, sum(c.value) AS sum FROM instance i JOIN file f ON f.instance = i.no, json_each(f.counts) c
  WHERE i.source = ? AND i.root = ? GROUP BY c.key ORDER BY c.key`;
const INSERT = `
  INSERT INTO file (instance, path, dev, ino, size, mtime, ctime, settled, reader, outcome, detail, session, state,
                    counts, tries, retry_at, version)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)`;
const UPDATE = `
  UPDATE file SET dev = ?, ino = ?, size = ?, mtime = ?, ctime = ?, settled = ?, reader = ?, outcome = ?, detail = ?,
                  session = coalesce(?, session), state = coalesce(?, state), counts = coalesce(?, counts), tries = ?,
                  retry_at = ?, gone_at = NULL, version = version + 1
  WHERE no = ?`;

interface FileSql {
  no: number;
  path: string;
  dev: string;
  ino: string;
  size: number;
  mtime: string;
  ctime: string;
  settled: number;
  reader: number;
  outcome: string;
  tries: number;
  retry_at: number | null;
  version: number;
  session: number | null;
  project: string | null;
}

/** The read side of the same rows, for planning a sync. */
export function fileReading(
  db: Database.Database,
  sight: Sight,
): Pick<Reading, 'sourceFiles' | 'sourceCounts' | 'meta'> {
  const instanceOf = lazily<[string, string], { no: number; last_sync: number | null }>(
    db,
    'SELECT no, last_sync FROM instance WHERE source = ? AND root = ?',
  );
  const files = lazily<[number], FileSql>(db, FILES);
  const metaOf = lazily<[string], { value: string }>(db, 'SELECT value FROM meta WHERE name = ?');
  const counts = lazily<[string, string], { name: string; sum: number }>(db, COUNTS);
  return {
    meta: (scope, name) => (sight.none(scope) ? undefined : metaOf.get(name)?.value),
    sourceCounts(scope, source, root) {
      const sums: Record<string, number> = {};
      if (!sight.whole(scope)) return sums;
      for (const { name, sum } of counts.all(source, root)) sums[name] = sum;
      return sums;
    },
    sourceFiles(scope, source, root) {
      const row = sight.whole(scope) ? instanceOf.get(source, root) : undefined;
      if (!row) return undefined;
      const instance = { no: row.no, source, root, ...(row.last_sync === null ? {} : { lastSync: row.last_sync }) };
      return { instance, files: files.all(row.no).map(recordOf) };
    },
  };
}

export function fileWriting(db: Database.Database): FileWriting {
  const instanceOf = lazily<[string, string], { no: number; last_sync: number | null }>(
    db,
    'SELECT no, last_sync FROM instance WHERE source = ? AND root = ?',
  );
  const insertInstance = lazily(db, 'INSERT INTO instance (source, root) VALUES (?, ?)');
  const forget = lazily(db, 'DELETE FROM file WHERE no = ?');
  const file = lazily<[number, string], FileSql>(db, FILE);
  const stateOf = lazily<[number], { state: Buffer | null; counts: string | null }>(
    db,
    'SELECT state, counts FROM file WHERE no = ?',
  );
  const insert = lazily(db, INSERT);
  const update = lazily(db, UPDATE);
  const synced = lazily(db, 'UPDATE instance SET last_sync = ? WHERE no = ?');
  const gone = lazily(
    db,
    'UPDATE file SET gone_at = ?, version = version + 1 WHERE no = ? AND version = ? AND gone_at IS NULL',
  );
  const liveFile = lazily(db, 'SELECT 1 FROM file WHERE session = ? AND gone_at IS NULL');
  const goneSession = lazily(
    db,
    `
    UPDATE session SET host_gone = @at WHERE host_gone IS NULL AND no = (SELECT session FROM file WHERE no = @no)
    AND NOT EXISTS (SELECT 1 FROM file WHERE session = session.no AND gone_at IS NULL)`,
  );

  const metaOf = lazily<[string], { value: string }>(db, 'SELECT value FROM meta WHERE name = ?');
  const setMeta = lazily(db, 'INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)');

  return {
    lease(instance, holder, now, until) {
      const name = `lease:${instance}`;
      const [owner, ends] = (metaOf.get(name)?.value ?? '').split(' ');
      if (owner && owner !== holder && Number(ends) > now) return false;
      setMeta.run(name, until === null ? '' : `${holder} ${until}`);
      return true;
    },
    meta: (name) => metaOf.get(name)?.value,
    setMeta(name, value) {
      setMeta.run(name, value);
    },
    instance(source, root): InstanceRecord {
      const row = instanceOf.get(source, root);
      if (row) return { no: row.no, source, root, ...(row.last_sync === null ? {} : { lastSync: row.last_sync }) };
      return { no: Number(insertInstance.run(source, root).lastInsertRowid), source, root };
    },
    file(instance, path) {
      const row = file.get(instance, path);
      return row && recordOf(row);
    },
    forgetFiles(numbers) {
      for (const no of numbers) forget.run(no);
    },
    fileState(no) {
      const row = stateOf.get(no);
      const counts = row?.counts ? (JSON.parse(row.counts) as Record<string, number>) : {};
      return row?.state ? { state: row.state, counts } : { counts };
    },
    putFile(instance, path, change, expected) {
      const row = file.get(instance, path);
      if (expected !== undefined && (row?.version ?? 0) !== expected) return undefined;
      if (row) update.run(...values(change), row.no);
      else insert.run(instance, path, ...values(change));
      return recordOf(file.get(instance, path)!);
    },
    synced(instance, at) {
      synced.run(at, instance);
    },
    goneFiles(files, at) {
      const sessions: number[] = [];
      for (const { no, version, session } of files) {
        if (gone.run(at, no, version).changes === 0) continue;
        goneSession.run({ at, no });
        if (session !== undefined && liveFile.get(session) === undefined) sessions.push(session);
      }
      return sessions;
    },
  };
}

function values(change: FileChange): unknown[] {
  return [
    String(change.dev),
    String(change.ino),
    change.size,
    String(change.mtimeNs),
    String(change.ctimeNs),
    Number(change.settled),
    change.reader,
    change.outcome,
    change.detail ?? null,
    change.session ?? null,
    change.state ?? null,
    change.counts ? JSON.stringify(change.counts) : null,
    change.tries ?? 0,
    change.retryAt ?? null,
  ];
}

function recordOf(row: FileSql): FileRecord {
  return {
    no: row.no,
    path: row.path,
    dev: BigInt(row.dev),
    ino: BigInt(row.ino),
    size: row.size,
    mtimeNs: BigInt(row.mtime),
    ctimeNs: BigInt(row.ctime),
    settled: row.settled === 1,
    reader: row.reader,
    outcome: row.outcome,
    tries: row.tries,
    version: row.version,
    ...(row.retry_at === null ? {} : { retryAt: row.retry_at }),
    ...(row.session === null ? {} : { session: row.session }),
    ...(row.project === null ? {} : { project: row.project }),
  };
}
