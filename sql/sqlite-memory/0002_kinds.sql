-- How many records of each kind a namespace holds, of any status (SUR-71): kept like the other counts. Episodic are the rest.
ALTER TABLE namespace ADD COLUMN facts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE namespace ADD COLUMN insights INTEGER NOT NULL DEFAULT 0;
UPDATE namespace SET
  facts = (SELECT count(*) FROM record WHERE ns = namespace.no AND kind = 1),
  insights = (SELECT count(*) FROM record WHERE ns = namespace.no AND kind = 2);
