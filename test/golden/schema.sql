-- version 1
CREATE TRIGGER entry_changed AFTER UPDATE OF kind, blocks, copy_of ON entry
WHEN old.kind <> new.kind OR old.blocks IS NOT new.blocks OR old.copy_of IS NOT new.copy_of
BEGIN
  DELETE FROM extra_fts WHERE rowid IN (SELECT id FROM extra WHERE id BETWEEN new.id * 2 AND new.id * 2 + 1);
  DELETE FROM extra WHERE id BETWEEN new.id * 2 AND new.id * 2 + 1;
  INSERT OR IGNORE INTO extra_again (entry) SELECT new.id FROM meta WHERE name = 'extra';
END;
CREATE TRIGGER entry_gone AFTER DELETE ON entry BEGIN
  DELETE FROM extra_fts WHERE rowid IN (SELECT id FROM extra WHERE id BETWEEN old.id * 2 AND old.id * 2 + 1);
  DELETE FROM extra WHERE id BETWEEN old.id * 2 AND old.id * 2 + 1;
  DELETE FROM extra_again WHERE entry = old.id;
END;
CREATE TABLE block (
  id INTEGER PRIMARY KEY,
  entry INTEGER NOT NULL,
  no INTEGER NOT NULL,                    -- place among the message's blocks
  json TEXT NOT NULL,
  UNIQUE (entry, no)
) STRICT;
CREATE TABLE body (
  entry INTEGER PRIMARY KEY,
  text TEXT NOT NULL
) STRICT;
CREATE TABLE copy (
  digest BLOB PRIMARY KEY,
  entry INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE doc (
  id INTEGER PRIMARY KEY,
  entry INTEGER NOT NULL,
  session INTEGER NOT NULL,               -- of the entry; its copies' sessions are in fts.scope too
  role INTEGER NOT NULL,
  at INTEGER NOT NULL,
  length INTEGER NOT NULL,                -- characters of the whole masked text
  flags INTEGER NOT NULL                  -- 1 clean: masked and sanitized text equals body.text; 2 first document of its text; 4 has copies
) STRICT;
CREATE TABLE entry (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  window INTEGER NOT NULL,
  parent INTEGER,                         -- nearest stored ancestor
  kind INTEGER NOT NULL,                  -- 0 message 1 reset 2 rewind 3 switch 4 compaction 5 custom 6 erased
  role INTEGER,                           -- 0 user 1 assistant 2 system 3 tool
  state INTEGER NOT NULL,                 -- 0 active 1 shadowed 2 side (sources.md §4)
  at INTEGER NOT NULL,                    -- ms since 1970
  flags INTEGER NOT NULL,                 -- 1 time guessed, 2 has text in body, 4 kept by the latest reset, 8 prompt, 16 gone from the host's file,
                                          -- 32 counted in session.texts, 64 on no branch (aside), 128 custom that is displayed
  native ANY NOT NULL,
  blocks ANY,                             -- null: the text in body is the one block; else the blocks, text by reference into body
  copy_of INTEGER,                        -- the entry that holds the body and the index row of the same message (SRC-15)
  author TEXT                             -- JSON: who said it, in a group (SES-11)
) STRICT;
CREATE TABLE extra (
  id INTEGER PRIMARY KEY,                 -- entry * 2, and 1 more of reasoning; the row of extra_fts
  length INTEGER NOT NULL,                -- characters
  text TEXT NOT NULL
) STRICT;
CREATE TABLE extra_again (
  entry INTEGER PRIMARY KEY
) STRICT;
CREATE VIRTUAL TABLE extra_fts USING fts5 (
  text, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
);
CREATE TABLE 'extra_fts_config'(k PRIMARY KEY, v) WITHOUT ROWID;
CREATE TABLE 'extra_fts_data'(id INTEGER PRIMARY KEY, block BLOB);
CREATE TABLE 'extra_fts_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER);
CREATE TABLE 'extra_fts_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
CREATE TABLE file (
  no INTEGER PRIMARY KEY,
  instance INTEGER NOT NULL,
  path TEXT NOT NULL,
  session INTEGER,                        -- its main session
  dev TEXT NOT NULL,                      -- numbers of a stat that exceed 2^53 as decimal text
  ino TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime TEXT NOT NULL,
  ctime TEXT NOT NULL,
  settled INTEGER NOT NULL,
  reader INTEGER NOT NULL,                -- version of the reader that read it
  outcome TEXT NOT NULL,                  -- read, or the reason it was skipped
  detail TEXT,
  entries INTEGER NOT NULL DEFAULT 0,
  counts TEXT,                            -- JSON, as above
  state BLOB,                             -- the reader's own, opaque
  tries INTEGER NOT NULL DEFAULT 0,
  retry_at INTEGER,
  version INTEGER NOT NULL DEFAULT 0,     -- raised by each write: a batch applies only on the one it started from (SRC-44)
  gone_at INTEGER,
  UNIQUE (instance, path)
) STRICT;
CREATE VIRTUAL TABLE fts USING fts5 (
  text, scope, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
);
CREATE TABLE 'fts_config'(k PRIMARY KEY, v) WITHOUT ROWID;
CREATE TABLE 'fts_data'(id INTEGER PRIMARY KEY, block BLOB);
CREATE TABLE 'fts_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER);
CREATE TABLE 'fts_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
CREATE TABLE gone (
  digest BLOB PRIMARY KEY,
  until INTEGER                           -- ms since 1970; null: for good
) STRICT, WITHOUT ROWID;
CREATE TABLE idempotency (
  session INTEGER NOT NULL,
  key TEXT NOT NULL,
  entry INTEGER NOT NULL,
  PRIMARY KEY (session, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE instance (
  no INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  root TEXT NOT NULL,
  last_sync INTEGER,
  counts TEXT,                            -- JSON: unknown types, malformed lines … by name
  UNIQUE (source, root)
) STRICT;
CREATE TABLE link (
  session INTEGER NOT NULL,
  native ANY NOT NULL,
  ancestor INTEGER,
  PRIMARY KEY (session, native)
) STRICT, WITHOUT ROWID;
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value ANY
) STRICT, WITHOUT ROWID;
CREATE TABLE session (
  no INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  title TEXT,
  title_rank INTEGER,
  created_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  first_at INTEGER,                       -- time of the oldest message, where that is before created_at (SES-4, SES-12)
  archived_at INTEGER,
  spawned_by TEXT,
  parent TEXT,
  owner TEXT,
  people TEXT,                            -- JSON list of person ids
  leaf INTEGER,                           -- entry.id
  source TEXT,                            -- imported sessions: the format's name …
  project TEXT,                           -- … the first recorded working directory (SRC-29) …
  native_key TEXT,
  origin TEXT,                            -- … and the rest of it, JSON
  host_gone INTEGER,                      -- ms since 1970 when the host's file was found missing (SRC-50)
  deleting INTEGER NOT NULL DEFAULT 0,
  dirty_from INTEGER,                     -- entry.id from which index rows may differ from what they should be (SES-151) …
  dirty_through INTEGER,                  -- … and the last such; null: none
  unknown TEXT,                           -- JSON: how many blocks of each type that is not known (SES-46)
  messages INTEGER NOT NULL DEFAULT 0,    -- messages on the active branch (SES-130)
  texts INTEGER NOT NULL DEFAULT 0,       -- index documents' texts: N of TXT-43 …
  characters INTEGER NOT NULL DEFAULT 0,  -- … and their summed length, for the mean
  moved INTEGER NOT NULL DEFAULT 0        -- number of the move that last changed its active branch, its beginning included (SES-80)
) STRICT;
CREATE TABLE window (
  no INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  session_id TEXT NOT NULL UNIQUE,
  previous INTEGER,
  reason TEXT NOT NULL,
  first INTEGER                           -- entry.id of its first entry
) STRICT;
CREATE INDEX doc_entry ON doc (entry);
CREATE INDEX doc_later ON doc (id) WHERE flags & 2;
CREATE INDEX entry_copy ON entry (copy_of) WHERE copy_of IS NOT NULL;
CREATE INDEX entry_native ON entry (native);
CREATE INDEX entry_prompt ON entry (session, parent) WHERE flags & 8;
CREATE INDEX entry_session ON entry (session);
CREATE INDEX entry_view ON entry (session) WHERE kind = 1 OR flags & 4;
CREATE INDEX session_deleting ON session (no) WHERE deleting;
CREATE INDEX session_dirty ON session (last_at) WHERE dirty_from IS NOT NULL;
CREATE INDEX session_last ON session (last_at);
CREATE INDEX session_owner ON session (owner) WHERE owner IS NOT NULL;
CREATE INDEX session_parent ON session (parent) WHERE parent IS NOT NULL;
CREATE INDEX session_spawned_by ON session (spawned_by) WHERE spawned_by IS NOT NULL;
CREATE INDEX session_unseen ON session (no) WHERE (deleting <> 0
  OR (key LIKE '%:incognito%' AND (substr(key, instr(substr(key, 7), ':') + 7) LIKE 'incognito'
    OR substr(key, instr(substr(key, 7), ':') + 7) LIKE 'incognito:%'
    OR (substr(key, instr(substr(key, 7), ':') + 7) LIKE '%:incognito-%'
      AND substr(key, instr(substr(key, 7), ':') + 7) NOT LIKE '%:%:%')))
  OR kind NOT IN ('main', 'subagent', 'acp', 'cron', 'hook', 'imported', 'direct', 'group', 'other')
  OR CASE WHEN people IS NULL THEN 0 WHEN json_valid(people) THEN json_type(people) <> 'array' ELSE 1 END);
CREATE INDEX window_session ON window (session);
