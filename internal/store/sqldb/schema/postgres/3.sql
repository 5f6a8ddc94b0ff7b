-- What processes may use together, by its name: full is when all of it is there again,
-- nanoseconds counted from 1970 by the clock of the server. Nothing is lost with a row.
CREATE UNLOGGED TABLE paces (
  name TEXT COLLATE "C" PRIMARY KEY,
  "full" BIGINT NOT NULL
) WITH (fillfactor = 50);
