-- What an environment reads attributes of its own as, as JSON.
ALTER TABLE environments ADD COLUMN mappings TEXT NOT NULL DEFAULT '';
