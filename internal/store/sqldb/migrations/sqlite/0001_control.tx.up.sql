-- Times and durations are nanoseconds, times counted from 1970 and NULL when
-- there is none. Every statement may run twice: a crash can fall between the
-- migration and the note that it ran.
CREATE TABLE IF NOT EXISTS organizations (
  id         TEXT PRIMARY KEY NOT NULL,
  name       TEXT NOT NULL,
  retention  INTEGER NOT NULL,
  created_at INTEGER
) STRICT
--bun:split
CREATE TABLE IF NOT EXISTS projects (
  id              TEXT PRIMARY KEY NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  slug            TEXT NOT NULL,
  UNIQUE (organization_id, slug)
) STRICT
--bun:split
CREATE TABLE IF NOT EXISTS environments (
  id         TEXT PRIMARY KEY NOT NULL,
  project_id TEXT NOT NULL REFERENCES projects (id),
  slug       TEXT NOT NULL,
  retention  INTEGER NOT NULL,
  UNIQUE (project_id, slug)
) STRICT
--bun:split
-- A key is known by the SHA-256 of its text; the text itself is never here.
CREATE TABLE IF NOT EXISTS keys (
  digest         BLOB PRIMARY KEY NOT NULL CHECK (length(digest) = 32),
  environment_id TEXT NOT NULL REFERENCES environments (id)
) STRICT
--bun:split
-- seq orders setups that were created in the same instant.
CREATE TABLE IF NOT EXISTS setups (
  seq             INTEGER PRIMARY KEY AUTOINCREMENT,
  id              TEXT NOT NULL UNIQUE,
  external_id     TEXT NOT NULL,
  organization_id TEXT NOT NULL,
  project_id      TEXT NOT NULL,
  environment_id  TEXT NOT NULL REFERENCES environments (id),
  selector        TEXT NOT NULL,
  evaluators      TEXT NOT NULL,
  entity_type     TEXT NOT NULL,
  entity_value    TEXT NOT NULL,
  status          TEXT NOT NULL,
  revision        INTEGER NOT NULL,
  generation      INTEGER NOT NULL,
  created_at      INTEGER,
  updated_at      INTEGER,
  UNIQUE (environment_id, external_id)
) STRICT
--bun:split
CREATE TABLE IF NOT EXISTS secrets (
  name  TEXT PRIMARY KEY NOT NULL,
  value BLOB NOT NULL
) STRICT
