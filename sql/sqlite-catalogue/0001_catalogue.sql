-- One file per home, derived from the agents' stores and rebuilt when absent (SES-211): which stores hold what hangs from
-- sessions of other agents, so that no store is opened to find out that it holds nothing.

-- Stores whose links are all here.
CREATE TABLE agent (
  id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Links of native kinds from a session to one of another agent (VIS-21). A hint: the session's own row decides.
CREATE TABLE link (
  child TEXT NOT NULL,
  parent TEXT NOT NULL,
  child_agent TEXT NOT NULL,
  parent_agent TEXT NOT NULL,
  spawned INTEGER NOT NULL,               -- 1: by spawnedBy, 0: by parent or owner
  PRIMARY KEY (child, parent, spawned)
) STRICT, WITHOUT ROWID;
CREATE INDEX link_below ON link (parent_agent, parent, child_agent);
