-- How many records of each kind a namespace holds, of any status (SUR-71): kept like the other counts. Episodic are the rest.
ALTER TABLE namespace ADD COLUMN facts bigint NOT NULL DEFAULT 0;
ALTER TABLE namespace ADD COLUMN insights bigint NOT NULL DEFAULT 0;
UPDATE namespace n SET facts = r.facts, insights = r.insights
FROM (SELECT agent, ns, count(*) FILTER (WHERE kind = 1) AS facts, count(*) FILTER (WHERE kind = 2) AS insights
      FROM record WHERE kind > 0 GROUP BY agent, ns) r
WHERE n.agent = r.agent AND n.no = r.ns;
