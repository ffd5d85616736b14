-- version 1
CREATE TABLE conversation (
  no INTEGER PRIMARY KEY,
  name BLOB UNIQUE,
  shown TEXT                              -- masked
) STRICT;
CREATE TABLE file (
  no INTEGER PRIMARY KEY,
  name BLOB NOT NULL UNIQUE,              -- SHA-256 of the path below the run folder
  shown TEXT NOT NULL,                    -- the path, masked
  is_record INTEGER NOT NULL,             -- a record file (RUN-42)
  hidden INTEGER NOT NULL,                -- not read to its end yet, or not readable now: its pieces are no evidence
  flags INTEGER NOT NULL,                 -- what a reader has to be told of it, see store/run-index.ts
  state BLOB,                             -- the follower's (FILE-3)
  version INTEGER NOT NULL                -- raised by each write: a write applies only to the one it started from
) STRICT;
CREATE VIRTUAL TABLE fts USING fts5 (
  text, over, scope, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
);
CREATE TABLE 'fts_config'(k PRIMARY KEY, v) WITHOUT ROWID;
CREATE TABLE 'fts_data'(id INTEGER PRIMARY KEY, block BLOB);
CREATE TABLE 'fts_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER);
CREATE TABLE 'fts_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
CREATE TABLE "group" (
  no INTEGER PRIMARY KEY,
  is_record INTEGER NOT NULL,
  episode INTEGER,                        -- null: unknown
  conversation INTEGER NOT NULL,
  enclosing INTEGER,                      -- of a suspect: the conversation of the record around it (RUN-21)
  pieces INTEGER NOT NULL DEFAULT 0,
  characters INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE label (
  no INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value ANY
) STRICT, WITHOUT ROWID;
CREATE TABLE piece (
  id INTEGER PRIMARY KEY,
  record INTEGER NOT NULL,
  line INTEGER NOT NULL,                  -- 1-based
  "column" INTEGER NOT NULL,              -- 1-based, in UTF-16 units
  sides INTEGER NOT NULL,                 -- 1: its line goes on before it, 2: after it
  text TEXT NOT NULL
) STRICT;
CREATE TABLE record (
  no INTEGER PRIMARY KEY,
  line INTEGER NOT NULL,                  -- of its first line, 1-based
  "group" INTEGER NOT NULL,
  kind INTEGER NOT NULL,                  -- 0 note, 1 told, 2 said
  at INTEGER,                             -- the writer's local time as seconds since 1970
  level INTEGER,                          -- 0 TRACE … 5 FATAL
  state INTEGER,                          -- label.no; null: none
  digest INTEGER NOT NULL,                -- of kind and compared text (RUN-66), keyed
  first INTEGER NOT NULL,                 -- its pieces are those of the file from here …
  pieces INTEGER NOT NULL                 -- … so many
) STRICT;
CREATE TABLE slot (
  no INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  part INTEGER NOT NULL,
  UNIQUE (file, part)
) STRICT;
CREATE TABLE tally (
  "group" INTEGER NOT NULL,
  file INTEGER NOT NULL,
  pieces INTEGER NOT NULL,
  characters INTEGER NOT NULL,
  PRIMARY KEY ("group", file)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_hidden ON file (hidden) WHERE hidden;
CREATE INDEX group_fields ON "group" (conversation, episode);
CREATE INDEX record_digest ON record (digest);
CREATE INDEX tally_file ON tally (file);
