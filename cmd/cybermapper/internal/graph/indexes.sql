CREATE INDEX IF NOT EXISTS urls_host ON urls(host);
CREATE INDEX IF NOT EXISTS links_target ON links(target);
CREATE INDEX IF NOT EXISTS urls_location ON urls(location) WHERE location != 0;
CREATE INDEX IF NOT EXISTS urls_via ON urls(via);
-- What pages may share. A query uses one of these only where it says that the column is not empty.
CREATE INDEX IF NOT EXISTS urls_title ON urls(title, host) WHERE title != '';
CREATE INDEX IF NOT EXISTS urls_description ON urls(description, host) WHERE description != '';
CREATE INDEX IF NOT EXISTS urls_digest ON urls(digest, host) WHERE digest != '';
