-- One file per agent: its memory, apart from its sessions. Everything is keyed by namespace first (EPI-178).

CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value ANY
) STRICT, WITHOUT ROWID;

-- Counts are kept with each write: the cap needs them, and counting 100 000 rows would cost more than the write.
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
) STRICT;

-- no is namespace.no * 2^32 + n, so one namespace is one range of rows and of the index: the order of writing within it.
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
CREATE INDEX record_time ON record (ns, status, at);
CREATE INDEX record_run ON record (ns, at) WHERE origin = 0 AND kind = 0;
CREATE INDEX record_authored ON record (ns, at) WHERE origin IN (1, 2, 3) AND kind = 0 AND status = 0;
CREATE INDEX record_expiry ON record (ns, expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX record_candidate ON record (created_at) WHERE status = 1;
CREATE UNIQUE INDEX record_fact ON record (ns, identity) WHERE kind = 1 AND status = 0;

-- The rest of a record as JSON, and its searched text, masked (EPI-5, EPI-82).
CREATE TABLE body (
  no INTEGER PRIMARY KEY,
  json TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;

-- What names another record, which may be gone.
CREATE TABLE link (
  target TEXT NOT NULL,                   -- record.id
  sort INTEGER NOT NULL,                  -- 0 derived from 1 supersedes
  no INTEGER NOT NULL,
  PRIMARY KEY (target, sort, no)
) STRICT, WITHOUT ROWID;
CREATE INDEX link_record ON link (no);

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
CREATE INDEX parked_start ON parked (ns, started_at);
CREATE INDEX parked_run ON parked (ns, run) WHERE run IS NOT NULL;
CREATE INDEX parked_thread ON parked (ns, thread) WHERE thread IS NOT NULL;
CREATE TABLE parked_trace (
  digest BLOB NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (digest, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX parked_trace_id ON parked_trace (id);

-- Answers by call id, so that a repeated call stores once (EPI-104).
CREATE TABLE call (
  ns INTEGER NOT NULL,
  id TEXT NOT NULL,
  record TEXT NOT NULL,
  reply TEXT NOT NULL,
  PRIMARY KEY (ns, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX call_record ON call (record);

CREATE TABLE deletion (
  ns INTEGER NOT NULL,                    -- 0: of namespaces that were erased
  day TEXT NOT NULL,
  reason TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (ns, day, reason)
) STRICT, WITHOUT ROWID;

CREATE TABLE barrier (
  digest BLOB PRIMARY KEY,                -- of what was erased
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE counter (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One row per record: text while it is active; marks always: digests of its tags, tools, thread and run ids, to filter by
-- within a namespace and to erase by across all. (As tables of their own they were half of the pages a write touched.)
CREATE VIRTUAL TABLE fts USING fts5 (
  text, marks, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
);
