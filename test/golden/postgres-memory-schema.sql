-- version 2
agent (
  id text COLLATE "C" NOT NULL,
  namespaces bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (id)
);
backstory (
  kind text NOT NULL,
  version integer NOT NULL,
  one boolean NOT NULL DEFAULT true,
  CHECK (one),
  PRIMARY KEY (one)
);
barrier (
  agent text COLLATE "C" NOT NULL,
  digest bytea NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (agent, digest)
);
call (
  agent text COLLATE "C" NOT NULL,
  ns bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  record text COLLATE "C" NOT NULL,
  reply text NOT NULL,
  PRIMARY KEY (agent, ns, id)
);
counter (
  agent text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  value bigint NOT NULL,
  PRIMARY KEY (agent, name)
);
deletion (
  agent text COLLATE "C" NOT NULL,
  ns bigint NOT NULL,
  day text COLLATE "C" NOT NULL,
  reason text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (agent, ns, day, reason)
);
link (
  agent text COLLATE "C" NOT NULL,
  target text COLLATE "C" NOT NULL,
  sort smallint NOT NULL,
  no bigint NOT NULL,
  PRIMARY KEY (agent, target, sort, no)
);
meta (
  agent text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (agent, name)
);
namespace (
  agent text COLLATE "C" NOT NULL,
  no bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  next bigint NOT NULL DEFAULT 1,
  reflected bigint NOT NULL DEFAULT 0,
  runs bigint NOT NULL DEFAULT 0,
  authored bigint NOT NULL DEFAULT 0,
  active bigint NOT NULL DEFAULT 0,
  characters bigint NOT NULL DEFAULT 0,
  candidates bigint NOT NULL DEFAULT 0,
  records bigint NOT NULL DEFAULT 0,
  parked bigint NOT NULL DEFAULT 0,
  last_at bigint,
  facts bigint NOT NULL DEFAULT 0,
  insights bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (agent, no),
  UNIQUE (agent, name)
);
parked (
  agent text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  ns bigint NOT NULL,
  started_at bigint NOT NULL,
  parked_at bigint NOT NULL,
  expires_at bigint,
  run text COLLATE "C",
  thread text COLLATE "C",
  state text NOT NULL,
  PRIMARY KEY (agent, id)
);
parked_trace (
  agent text COLLATE "C" NOT NULL,
  digest bytea NOT NULL,
  id text COLLATE "C" NOT NULL,
  PRIMARY KEY (agent, digest, id)
);
record (
  agent text COLLATE "C" NOT NULL,
  no bigint NOT NULL,
  ns bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  kind smallint NOT NULL,
  status smallint NOT NULL,
  origin smallint NOT NULL,
  outcome smallint,
  at bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  has_effective boolean NOT NULL,
  expires_at bigint,
  confidence double precision NOT NULL,
  length integer NOT NULL,
  identity bytea,
  body json NOT NULL,
  searched text NOT NULL,
  exact boolean NOT NULL,
  words tsvector NOT NULL,
  PRIMARY KEY (agent, no),
  UNIQUE (agent, id)
);
CREATE INDEX call_record ON call USING btree (agent, record);
CREATE INDEX link_record ON link USING btree (agent, no);
CREATE INDEX parked_run ON parked USING btree (agent, ns, run) WHERE (run IS NOT NULL);
CREATE INDEX parked_start ON parked USING btree (agent, ns, started_at);
CREATE INDEX parked_thread ON parked USING btree (agent, ns, thread) WHERE (thread IS NOT NULL);
CREATE INDEX parked_trace_id ON parked_trace USING btree (agent, id);
CREATE INDEX record_authored ON record USING btree (agent, ns, at) WHERE ((origin = ANY (ARRAY[1, 2, 3])) AND (kind = 0) AND (status = 0));
CREATE INDEX record_candidate ON record USING btree (agent, created_at) WHERE (status = 1);
CREATE INDEX record_expiry ON record USING btree (agent, ns, expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX record_inexact ON record USING btree (agent, ns) WHERE (NOT exact);
CREATE INDEX record_run ON record USING btree (agent, ns, at) WHERE ((origin = 0) AND (kind = 0));
CREATE INDEX record_time ON record USING btree (agent, ns, status, at);
CREATE INDEX record_words ON record USING gin (words) WITH (fastupdate=off);
CREATE UNIQUE INDEX record_fact ON record USING btree (agent, ns, identity) WHERE ((kind = 1) AND (status = 0));
