CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE urls(
  id INTEGER PRIMARY KEY,                 -- hash of the URL
  url TEXT NOT NULL, host TEXT NOT NULL,
  via INTEGER NOT NULL DEFAULT 0,         -- what led here first; 0 for a seed
  depth INTEGER NOT NULL DEFAULT 0,       -- links from a seed
  sitemap INTEGER NOT NULL DEFAULT 0,     -- it is one
  outcome TEXT NOT NULL DEFAULT '',       -- done, failed, refused, retrying
  gate TEXT NOT NULL DEFAULT '', reason TEXT NOT NULL DEFAULT '', rule TEXT NOT NULL DEFAULT '', -- that refused it last
  status INTEGER NOT NULL DEFAULT 0,      -- of the last answer; 0 when none came
  error TEXT NOT NULL DEFAULT '',         -- why none came
  asked INTEGER NOT NULL DEFAULT 0,       -- requests for the page
  took REAL NOT NULL DEFAULT 0,           -- milliseconds until the last answer was there
  location INTEGER NOT NULL DEFAULT 0,    -- where it led
  noindex INTEGER NOT NULL DEFAULT 0,     -- it asks not to be indexed
  stored INTEGER NOT NULL DEFAULT 0,      -- there is a page
  html INTEGER NOT NULL DEFAULT 0,
  cut INTEGER NOT NULL DEFAULT 0,         -- it has more links than are kept here
  title TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '',
  canonical INTEGER NOT NULL DEFAULT 0, canonical_url TEXT NOT NULL DEFAULT '', -- that the page names, if another
  digest TEXT NOT NULL DEFAULT '');

CREATE TABLE links(source INTEGER NOT NULL, target INTEGER NOT NULL, PRIMARY KEY(source, target)) WITHOUT ROWID;
