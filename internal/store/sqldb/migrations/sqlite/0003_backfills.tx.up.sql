-- From here on a migration runs once: it is noted in its own transaction.
ALTER TABLE setups ADD COLUMN bounds TEXT NOT NULL DEFAULT '{}'
--bun:split
-- A backfill refers to its setup together with the environment.
CREATE UNIQUE INDEX setups_of_environment ON setups (environment_id, id)
--bun:split
-- seq orders backfills that were created in the same instant.
CREATE TABLE backfills (
  seq            INTEGER PRIMARY KEY AUTOINCREMENT,
  id             TEXT NOT NULL UNIQUE,
  environment_id TEXT NOT NULL,
  setup_id       TEXT NOT NULL,
  from_time      INTEGER NOT NULL,
  to_time        INTEGER NOT NULL,
  status         TEXT NOT NULL,
  position       TEXT NOT NULL,
  total          INTEGER NOT NULL,
  seen           INTEGER NOT NULL,
  matched        INTEGER NOT NULL,
  error_message  TEXT NOT NULL,
  revision       INTEGER NOT NULL,
  created_at     INTEGER,
  updated_at     INTEGER,
  FOREIGN KEY (environment_id, setup_id) REFERENCES setups (environment_id, id) ON DELETE CASCADE
) STRICT
--bun:split
CREATE INDEX backfills_of_setup ON backfills (environment_id, setup_id)
--bun:split
-- The one row counts organizations made and setups made, changed and deleted.
CREATE TABLE changes (
  id     INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  number INTEGER NOT NULL
) STRICT
--bun:split
INSERT INTO changes (id, number) VALUES (1, 0)
--bun:split
CREATE TRIGGER organization_created AFTER INSERT ON organizations
BEGIN
  UPDATE changes SET number = number + 1;
END
--bun:split
CREATE TRIGGER setup_created AFTER INSERT ON setups
BEGIN
  UPDATE changes SET number = number + 1;
END
--bun:split
CREATE TRIGGER setup_replaced AFTER UPDATE ON setups
BEGIN
  UPDATE changes SET number = number + 1;
END
--bun:split
CREATE TRIGGER setup_deleted AFTER DELETE ON setups
BEGIN
  UPDATE changes SET number = number + 1;
END
