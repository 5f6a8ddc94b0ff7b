-- Times and durations are nanoseconds, times counted from 1970 and NULL when
-- there is none.
CREATE TABLE organizations (
  id         TEXT PRIMARY KEY NOT NULL,
  name       TEXT NOT NULL,
  retention  INTEGER NOT NULL,
  created_at INTEGER
) STRICT;

CREATE TABLE projects (
  id              TEXT PRIMARY KEY NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  slug            TEXT NOT NULL,
  UNIQUE (organization_id, slug)
) STRICT;

CREATE TABLE environments (
  id         TEXT PRIMARY KEY NOT NULL,
  project_id TEXT NOT NULL REFERENCES projects (id),
  slug       TEXT NOT NULL,
  retention  INTEGER NOT NULL,
  UNIQUE (project_id, slug)
) STRICT;

-- A key is known by the SHA-256 of its text; the text itself is never here.
CREATE TABLE keys (
  digest         BLOB PRIMARY KEY NOT NULL CHECK (length(digest) = 32),
  environment_id TEXT NOT NULL REFERENCES environments (id)
) STRICT;

CREATE INDEX keys_of_environment ON keys (environment_id);

CREATE TABLE secrets (
  name  TEXT PRIMARY KEY NOT NULL,
  value BLOB NOT NULL
) STRICT;

-- Setups, evaluators and backfills. seq orders those that were created in the
-- same instant. What a document is deleted with is its parent, of the same
-- environment: both parent columns are NULL where there is none.
CREATE TABLE documents (
  seq            INTEGER PRIMARY KEY AUTOINCREMENT,
  kind           TEXT NOT NULL,
  environment_id TEXT NOT NULL REFERENCES environments (id),
  id             TEXT NOT NULL,
  name           TEXT NOT NULL,
  parent_kind    TEXT,
  parent_id      TEXT,
  is_open        INTEGER NOT NULL,
  revision       INTEGER NOT NULL,
  label          TEXT NOT NULL,
  created_at     INTEGER,
  body           TEXT NOT NULL,
  UNIQUE (kind, id),
  UNIQUE (kind, environment_id, name),
  UNIQUE (kind, environment_id, id),
  FOREIGN KEY (parent_kind, environment_id, parent_id) REFERENCES documents (kind, environment_id, id) ON DELETE CASCADE
) STRICT;

CREATE INDEX documents_of_parent ON documents (parent_kind, environment_id, parent_id);
CREATE INDEX documents_open ON documents (kind, is_open);

-- Revisions of documents, of kinds that keep any; the current one is among them.
CREATE TABLE revisions (
  document INTEGER NOT NULL REFERENCES documents (seq) ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  label    TEXT NOT NULL,
  body     TEXT NOT NULL,
  PRIMARY KEY (document, revision)
) STRICT;

-- The latest changes of keys and setups. The one row of change_counter has the
-- number of the last; a transaction that changes something holds it until its
-- end, so numbers become visible in their order.
CREATE TABLE change_counter (
  number INTEGER NOT NULL
) STRICT;

INSERT INTO change_counter (number) VALUES (0);

CREATE TABLE changes (
  number         INTEGER PRIMARY KEY NOT NULL,
  environment_id TEXT NOT NULL,
  document_id    TEXT NOT NULL
) STRICT;

INSERT INTO changes (number, environment_id, document_id) VALUES (0, '', '');
