-- When an organization was deleted, and when the last of it was gone.
ALTER TABLE organizations ADD COLUMN deleted_at INTEGER;
ALTER TABLE organizations ADD COLUMN erased_at INTEGER;

-- What an environment may take, as JSON; and 1 once its organization is deleted,
-- from when on it gets neither keys nor documents.
ALTER TABLE environments ADD COLUMN quota TEXT NOT NULL DEFAULT '{}';
ALTER TABLE environments ADD COLUMN is_closed INTEGER NOT NULL DEFAULT 0;

-- Keys get ids, names, scopes and ends. Those that are there may do all that they
-- could, and are as old as their organization.
CREATE TABLE keys_2 (
  id             TEXT PRIMARY KEY NOT NULL,
  digest         BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  environment_id TEXT NOT NULL REFERENCES environments (id),
  name           TEXT NOT NULL,
  scope          TEXT NOT NULL,
  created_at     INTEGER,
  expires_at     INTEGER,
  revoked_at     INTEGER,
  used_at        INTEGER
) STRICT;

INSERT INTO keys_2 (id, digest, environment_id, name, scope, created_at)
SELECT substr(r, 1, 8) || '-' || substr(r, 9, 4) || '-4' || substr(r, 14, 3) || '-8' || substr(r, 18, 3) || '-' || substr(r, 21, 12),
  digest, environment_id, 'default', 'full', created_at
FROM (
  SELECT lower(hex(randomblob(16))) AS r, k.digest, k.environment_id, o.created_at
  FROM keys AS k
  JOIN environments AS e ON e.id = k.environment_id
  JOIN projects AS p ON p.id = e.project_id
  JOIN organizations AS o ON o.id = p.organization_id
);

DROP TABLE keys;
ALTER TABLE keys_2 RENAME TO keys;
CREATE INDEX keys_of_environment ON keys (environment_id);
