-- seq orders evaluators that were created in the same instant; version is the
-- latest. Every statement may run twice, as in the migrations before.
CREATE TABLE IF NOT EXISTS evaluators (
  seq            INTEGER PRIMARY KEY AUTOINCREMENT,
  id             TEXT NOT NULL UNIQUE,
  environment_id TEXT NOT NULL REFERENCES environments (id),
  slug           TEXT NOT NULL,
  version        INTEGER NOT NULL,
  created_at     INTEGER,
  UNIQUE (environment_id, slug)
) STRICT
--bun:split
CREATE TABLE IF NOT EXISTS evaluator_versions (
  evaluator_id TEXT NOT NULL REFERENCES evaluators (id),
  version      INTEGER NOT NULL,
  id           TEXT NOT NULL,
  definition   TEXT NOT NULL,
  created_at   INTEGER,
  PRIMARY KEY (evaluator_id, version)
) STRICT
