-- Agents' memories of one schema, for any number of machines: as sql/sqlite-memory, every table keyed by agent first.
-- Instants are ms since 1970. Text compares by its bytes, as SQLite's does.

-- Which agents have a memory, and how many namespaces each ever had: an erased one's number is never another's.
CREATE TABLE agent (
  id text COLLATE "C" PRIMARY KEY,
  namespaces bigint NOT NULL DEFAULT 0
);

CREATE TABLE meta (
  agent text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (agent, name)
);

-- Counts are kept with each write: the cap needs them.
CREATE TABLE namespace (
  agent text COLLATE "C" NOT NULL,
  no bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  next bigint NOT NULL DEFAULT 1,         -- what the next record is numbered by; never given twice
  reflected bigint NOT NULL DEFAULT 0,    -- record.no up to which it was reflected on (EPI-147)
  runs bigint NOT NULL DEFAULT 0,         -- episodic records of runs, any status (EPI-62)
  authored bigint NOT NULL DEFAULT 0,     -- active episodic records of remember
  active bigint NOT NULL DEFAULT 0,       -- N of TXT-43, expired rows included …
  characters bigint NOT NULL DEFAULT 0,   -- … and their texts' length
  candidates bigint NOT NULL DEFAULT 0,
  records bigint NOT NULL DEFAULT 0,
  parked bigint NOT NULL DEFAULT 0,
  last_at bigint,                         -- when the latest run was recorded
  PRIMARY KEY (agent, no),
  UNIQUE (agent, name)
) WITH (fillfactor = 50);                 -- rewritten with every record: room for new versions on the same page

-- no is namespace.no * 2^32 + n, so one namespace is one range of rows: the order of writing within it.
CREATE TABLE record (
  agent text COLLATE "C" NOT NULL,
  no bigint NOT NULL,
  ns bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  kind smallint NOT NULL,                 -- 0 episodic 1 semantic 2 reflection
  status smallint NOT NULL,               -- 0 active 1 candidate 2 superseded
  origin smallint NOT NULL,               -- source.type: 0 run 1 tool 2 user 3 human 4 distill
  outcome smallint,                       -- of a run: 0 ok 1 error 2 cancelled
  at bigint NOT NULL,                     -- event time
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  has_effective boolean NOT NULL,         -- at is effectiveAt, else createdAt
  expires_at bigint,
  confidence double precision NOT NULL,
  length integer NOT NULL,                -- UTF-16 units of searched
  identity bytea,                         -- of a fact: digest of its identity
  body json NOT NULL,                     -- the rest of the record: json keeps the order of keys, jsonb would not
  searched text NOT NULL,                 -- the searched text, masked (EPI-5, EPI-82)
  exact boolean NOT NULL,                 -- false: more positions than a tsvector holds, so phrases are told by searched
  words tsvector NOT NULL,                -- namespace and marks; while it is active the tokens of searched (TXT-20)
  PRIMARY KEY (agent, no),
  UNIQUE (agent, id)
);
CREATE INDEX record_time ON record (agent, ns, status, at);
CREATE INDEX record_run ON record (agent, ns, at) WHERE origin = 0 AND kind = 0;
CREATE INDEX record_authored ON record (agent, ns, at) WHERE origin IN (1, 2, 3) AND kind = 0 AND status = 0;
CREATE INDEX record_expiry ON record (agent, ns, expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX record_candidate ON record (agent, created_at) WHERE status = 1;
CREATE INDEX record_inexact ON record (agent, ns) WHERE NOT exact;
CREATE UNIQUE INDEX record_fact ON record (agent, ns, identity) WHERE kind = 1 AND status = 0;
-- Each row's first lexeme names agent and namespace, so a word costs what one namespace holds of it (EPI-178).
CREATE INDEX record_words ON record USING gin (words) WITH (fastupdate = off);

-- What names another record, which may be gone.
CREATE TABLE link (
  agent text COLLATE "C" NOT NULL,
  target text COLLATE "C" NOT NULL,       -- record.id
  sort smallint NOT NULL,                 -- 0 derived from 1 supersedes
  no bigint NOT NULL,
  PRIMARY KEY (agent, target, sort, no)
);
CREATE INDEX link_record ON link (agent, no);

CREATE TABLE parked (
  agent text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,           -- of the record it will become
  ns bigint NOT NULL,
  started_at bigint NOT NULL,
  parked_at bigint NOT NULL,
  expires_at bigint,
  run text COLLATE "C",
  thread text COLLATE "C",
  state text NOT NULL,
  PRIMARY KEY (agent, id)
);
CREATE INDEX parked_start ON parked (agent, ns, started_at);
CREATE INDEX parked_run ON parked (agent, ns, run) WHERE run IS NOT NULL;
CREATE INDEX parked_thread ON parked (agent, ns, thread) WHERE thread IS NOT NULL;
CREATE TABLE parked_trace (
  agent text COLLATE "C" NOT NULL,
  digest bytea NOT NULL,
  id text COLLATE "C" NOT NULL,
  PRIMARY KEY (agent, digest, id)
);
CREATE INDEX parked_trace_id ON parked_trace (agent, id);

-- Answers by call id, so that a repeated call stores once (EPI-104).
CREATE TABLE call (
  agent text COLLATE "C" NOT NULL,
  ns bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  record text COLLATE "C" NOT NULL,
  reply text NOT NULL,
  PRIMARY KEY (agent, ns, id)
);
CREATE INDEX call_record ON call (agent, record);

CREATE TABLE deletion (
  agent text COLLATE "C" NOT NULL,
  ns bigint NOT NULL,                     -- 0: of namespaces that were erased
  day text COLLATE "C" NOT NULL,
  reason text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (agent, ns, day, reason)
);

CREATE TABLE barrier (
  agent text COLLATE "C" NOT NULL,
  digest bytea NOT NULL,                  -- of what was erased
  at bigint NOT NULL,
  PRIMARY KEY (agent, digest)
);

CREATE TABLE counter (
  agent text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  value bigint NOT NULL,
  PRIMARY KEY (agent, name)
);
