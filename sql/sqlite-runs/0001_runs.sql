-- What was read of one run folder for one agent: derived from its files, made again whenever it is lost (RUN-28, RUN-29).
-- Holds masked text only: paths and conversation ids stand here by their SHA-256 and in their masked form (RUN-49).

CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value ANY
) STRICT, WITHOUT ROWID;

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
CREATE INDEX file_hidden ON file (hidden) WHERE hidden;

-- Upper bits of the ids of a file's pieces: `part` n holds its pieces n·2^21 … (n + 1)·2^21 − 1.
CREATE TABLE slot (
  no INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  part INTEGER NOT NULL,
  UNIQUE (file, part)
) STRICT;

-- 0 unknown, 1 none (`-`), others by the SHA-256 of their id.
CREATE TABLE conversation (
  no INTEGER PRIMARY KEY,
  name BLOB UNIQUE,
  shown TEXT                              -- masked
) STRICT;
INSERT INTO conversation VALUES (0, NULL, NULL), (1, NULL, '-');

-- What decides who may see a piece: all pieces of a group are visible or none is (RUN-37).
CREATE TABLE "group" (
  no INTEGER PRIMARY KEY,
  is_record INTEGER NOT NULL,
  episode INTEGER,                        -- null: unknown
  conversation INTEGER NOT NULL,
  enclosing INTEGER,                      -- of a suspect: the conversation of the record around it (RUN-21)
  pieces INTEGER NOT NULL DEFAULT 0,
  characters INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX group_fields ON "group" (conversation, episode);

CREATE TABLE tally (
  "group" INTEGER NOT NULL,
  file INTEGER NOT NULL,
  pieces INTEGER NOT NULL,
  characters INTEGER NOT NULL,
  PRIMARY KEY ("group", file)
) STRICT, WITHOUT ROWID;
CREATE INDEX tally_file ON tally (file);

-- Texts that many records share: states, masked.
CREATE TABLE label (
  no INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;

-- no = file · 2^32 + its place among the file's records: a file's records, or those after one, are a range.
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
CREATE INDEX record_digest ON record (digest);

-- id = hour of the record (20 bits, 0 without a time) · slot (22) · place among the file's pieces (21). It follows from
-- the files alone, whatever the order they were read in, so a draw of the newest n is the same in a fresh index (RUN-71).
CREATE TABLE piece (
  id INTEGER PRIMARY KEY,
  record INTEGER NOT NULL,
  line INTEGER NOT NULL,                  -- 1-based
  "column" INTEGER NOT NULL,              -- 1-based, in UTF-16 units
  sides INTEGER NOT NULL,                 -- 1: its line goes on before it, 2: after it
  text TEXT NOT NULL
) STRICT;

-- `text`: tokens that begin in the piece. `over`: the tokens around its end, where the line goes on, for phrases across
-- a cut (RUN-58). `scope`: g and the number of its group.
CREATE VIRTUAL TABLE fts USING fts5 (
  text, over, scope, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
);
