-- What models cost an organization, as JSON.
ALTER TABLE organizations ADD COLUMN prices TEXT NOT NULL DEFAULT '{}';
