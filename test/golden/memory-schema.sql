-- version 2
CREATE TABLE barrier (
  digest BLOB PRIMARY KEY,                -- of what was erased
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE body (
  no INTEGER PRIMARY KEY,
  json TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE TABLE call (
  ns INTEGER NOT NULL,
  id TEXT NOT NULL,
  record TEXT NOT NULL,
  reply TEXT NOT NULL,
  PRIMARY KEY (ns, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE counter (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE deletion (
  ns INTEGER NOT NULL,                    -- 0: of namespaces that were erased
  day TEXT NOT NULL,
  reason TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (ns, day, reason)
) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE fts USING fts5 (
  text, marks, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
);
CREATE TABLE 'fts_config'(k PRIMARY KEY, v) WITHOUT ROWID;
CREATE TABLE 'fts_data'(id INTEGER PRIMARY KEY, block BLOB);
CREATE TABLE 'fts_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER);
CREATE TABLE 'fts_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
CREATE TABLE link (
  target TEXT NOT NULL,                   -- record.id
  sort INTEGER NOT NULL,                  -- 0 derived from 1 supersedes
  no INTEGER NOT NULL,
  PRIMARY KEY (target, sort, no)
) STRICT, WITHOUT ROWID;
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value ANY
) STRICT, WITHOUT ROWID;
CREATE TABLE namespace (
  no INTEGER PRIMARY KEY AUTOINCREMENT,  -- an erased one's rows are never another's
  name TEXT NOT NULL UNIQUE,
  next INTEGER NOT NULL DEFAULT 1,        -- what the next record is numbered by; never given twice
  reflected INTEGER NOT NULL DEFAULT 0,   -- record.no up to which it was reflected on (EPI-147)
  runs INTEGER NOT NULL DEFAULT 0,        -- episodic records of runs, any status (EPI-62)
  authored INTEGER NOT NULL DEFAULT 0,    -- active episodic records of remember
  active INTEGER NOT NULL DEFAULT 0,      -- N of TXT-43, expired rows included …
  characters INTEGER NOT NULL DEFAULT 0,  -- … and their texts' length
  candidates INTEGER NOT NULL DEFAULT 0,
  records INTEGER NOT NULL DEFAULT 0,
  parked INTEGER NOT NULL DEFAULT 0,
  last_at INTEGER                         -- when the latest run was recorded, ms since 1970
, facts INTEGER NOT NULL DEFAULT 0, insights INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE parked (
  id TEXT PRIMARY KEY,                    -- of the record it will become
  ns INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  parked_at INTEGER NOT NULL,
  expires_at INTEGER,
  run TEXT,
  thread TEXT,
  state TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE parked_trace (
  digest BLOB NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (digest, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE record (
  no INTEGER PRIMARY KEY,
  ns INTEGER NOT NULL,
  id TEXT NOT NULL UNIQUE,
  kind INTEGER NOT NULL,                  -- 0 episodic 1 semantic 2 reflection
  status INTEGER NOT NULL,                -- 0 active 1 candidate 2 superseded
  origin INTEGER NOT NULL,                -- source.type: 0 run 1 tool 2 user 3 human 4 distill
  outcome INTEGER,                        -- of a run: 0 ok 1 error 2 cancelled
  at INTEGER NOT NULL,                    -- event time, ms since 1970
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  has_effective INTEGER NOT NULL,         -- 1: at is effectiveAt, else createdAt
  expires_at INTEGER,
  confidence REAL NOT NULL,
  length INTEGER NOT NULL,                -- characters of body.text
  identity BLOB                           -- of a fact: digest of its identity
) STRICT;
CREATE INDEX call_record ON call (record);
CREATE INDEX link_record ON link (no);
CREATE INDEX parked_run ON parked (ns, run) WHERE run IS NOT NULL;
CREATE INDEX parked_start ON parked (ns, started_at);
CREATE INDEX parked_thread ON parked (ns, thread) WHERE thread IS NOT NULL;
CREATE INDEX parked_trace_id ON parked_trace (id);
CREATE INDEX record_authored ON record (ns, at) WHERE origin IN (1, 2, 3) AND kind = 0 AND status = 0;
CREATE INDEX record_candidate ON record (created_at) WHERE status = 1;
CREATE INDEX record_expiry ON record (ns, expires_at) WHERE expires_at IS NOT NULL;
CREATE UNIQUE INDEX record_fact ON record (ns, identity) WHERE kind = 1 AND status = 0;
CREATE INDEX record_run ON record (ns, at) WHERE origin = 0 AND kind = 0;
CREATE INDEX record_time ON record (ns, status, at);
