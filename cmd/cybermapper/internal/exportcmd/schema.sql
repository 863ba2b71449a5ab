-- Times are RFC 3339 in UTC, to the microsecond. A text that is not known is NULL.

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID; -- of the export: format, program, job, exported

CREATE TABLE pages (       -- stored pages, one row for each version
  id INTEGER PRIMARY KEY,
  kind TEXT,               -- requisite: what a page needs, such as an image; NULL: a page
  url TEXT NOT NULL,       -- as it was queued
  final_url TEXT NOT NULL, -- that answered
  host TEXT NOT NULL,
  file TEXT NOT NULL,      -- with the body, below JOB/pages
  fetched TEXT NOT NULL,
  status INTEGER NOT NULL,
  type TEXT, charset TEXT,
  bytes INTEGER NOT NULL,
  digest TEXT NOT NULL,    -- of the body
  title TEXT, description TEXT, lang TEXT,
  depth INTEGER NOT NULL,  -- links from a seed
  via TEXT,                -- the page that linked here
  canonical TEXT,
  same_as TEXT,            -- file of an earlier page with the same body
  near TEXT,               -- URL of an earlier page with nearly the same text
  lastmod TEXT,            -- as a sitemap has it
  truncated TEXT,          -- which limit cut the body
  robots_digest TEXT, robots_line INTEGER, robots_rule TEXT, -- what permitted the request
  directives TEXT,         -- JSON list: META ROBOTS and X-Robots-Tag
  header TEXT,             -- JSON object: fields of the answer
  text TEXT                -- visible; with --text only
);

CREATE TABLE links (       -- links of stored pages
  page INTEGER NOT NULL,   -- id of the page
  source TEXT NOT NULL,    -- its final_url
  target TEXT NOT NULL,
  kind TEXT NOT NULL,      -- a, area, frame, iframe, refresh, next, prev, alternate, header-..., entry
  rel TEXT,
  follow INTEGER NOT NULL, -- 1 when the page lets robots follow it
  text TEXT,               -- of the link
  place INTEGER NOT NULL   -- among the links of the page
);

CREATE TABLE requests (    -- every request that left
  seq INTEGER PRIMARY KEY, -- of the record in the ledger
  url TEXT NOT NULL, host TEXT NOT NULL,
  purpose TEXT NOT NULL,   -- page, requisite, robots, sitemap, probe, tdmrep
  start TEXT NOT NULL, took_ms REAL,
  status INTEGER,          -- NULL when no answer came
  bytes INTEGER, location TEXT, error TEXT, error_text TEXT, truncated TEXT,
  robots_digest TEXT, robots_line INTEGER, robots_rule TEXT
);

CREATE TABLE refusals (    -- what was not asked for, or not kept, and why
  seq INTEGER PRIMARY KEY,
  url TEXT NOT NULL, via TEXT,
  time TEXT NOT NULL,
  gate TEXT NOT NULL,      -- url, meta, opt-out, action, scope, trap, limit, sitemap, address, robots
  reason TEXT NOT NULL,
  rule TEXT, line INTEGER, digest TEXT
);

CREATE VIEW hosts AS       -- each host in figures
  SELECT host, count(*) AS requests, sum(purpose = 'page') AS page_requests, sum(bytes) AS bytes,
    sum(status IS NULL) AS unanswered, sum(status >= 400) AS errors, min(start) AS first, max(start) AS last,
    (SELECT count(DISTINCT final_url) FROM pages p WHERE p.host = r.host AND p.kind IS NULL) AS pages
  FROM requests r GROUP BY host;

CREATE VIEW answers AS     -- the last answer of each URL
  SELECT url, max(seq) AS seq, status, location, error FROM requests WHERE purpose IN ('page', 'requisite') GROUP BY url;

CREATE VIEW latest AS      -- the last version of each page that has neither gone nor moved since
  SELECT p.* FROM pages p LEFT JOIN answers a ON a.url = p.final_url
  WHERE p.id = (SELECT max(id) FROM pages WHERE final_url = p.final_url)
    AND (a.status IS NULL OR a.status NOT IN (404, 410) AND (a.status NOT BETWEEN 300 AND 399 OR a.status = 304));

CREATE VIEW dead_links AS  -- links to what gives no page, with the pages that have them now
  SELECT l.source, l.target, l.text, a.status, a.error FROM answers a
    JOIN links l ON l.target = a.url JOIN latest p ON p.id = l.page
  WHERE a.status >= 400 OR a.status IS NULL;

CREATE VIEW redirects AS   -- what leads elsewhere
  SELECT url, status, location FROM answers WHERE status BETWEEN 300 AND 399 AND status <> 304;

CREATE VIEW duplicates AS  -- bodies with more than one page
  SELECT digest, count(DISTINCT final_url) AS pages, min(final_url) AS first FROM latest WHERE kind IS NULL GROUP BY digest HAVING pages > 1;

CREATE VIEW refused AS     -- why things were not done
  SELECT gate, reason, count(*) AS times, count(DISTINCT url) AS urls FROM refusals GROUP BY gate, reason;

CREATE VIEW external_links AS -- links to hosts that no page is of
  WITH l AS (SELECT source, target, links.text, substr(target, instr(target, '://') + 3) AS rest
    FROM links JOIN latest p ON p.id = page)
  SELECT source, target, text FROM l
  WHERE substr(rest, 1, instr(rest, '/') - 1) NOT IN (SELECT host FROM pages WHERE kind IS NULL);
