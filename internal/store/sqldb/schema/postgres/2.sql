-- What is owed: deferred evaluations of spans that an engine keeps. ready is when an
-- evaluation falls due or, while somebody has leased it, until when: one column, so
-- that who leases finds nothing in his way that is leased. due is what ready was
-- before the lease. misses is how often the engine did not know the span. Times are
-- nanoseconds counted from 1970; content is the digest of the span, 0 for any.
-- Names are bytes, since they may have NUL.
CREATE TABLE owed (
  environment_id TEXT COLLATE "C" NOT NULL,
  trace_id       BYTEA NOT NULL,
  span_id        BYTEA NOT NULL,
  bucket         INTEGER NOT NULL,
  setup          BYTEA NOT NULL,
  evaluator      BYTEA NOT NULL,
  start          BIGINT NOT NULL,
  content        BIGINT NOT NULL,
  ready          BIGINT NOT NULL,
  due            BIGINT NOT NULL,
  since          BIGINT NOT NULL,
  expires        BIGINT NOT NULL,
  misses         INTEGER NOT NULL DEFAULT 0,
  reserved       DOUBLE PRECISION NOT NULL DEFAULT 0,
  PRIMARY KEY (environment_id, trace_id, span_id, bucket, setup, evaluator)
) PARTITION BY HASH (environment_id);

CREATE INDEX owed_ready ON owed (environment_id, ready);
CREATE INDEX owed_reserved ON owed (environment_id, setup) WHERE reserved > 0;

-- Rows come and go: pages have room for what takes their place, and are vacuumed
-- soon.
DO $$ BEGIN
  FOR i IN 0..15 LOOP
    EXECUTE format('CREATE TABLE owed_%s PARTITION OF owed FOR VALUES WITH (MODULUS 16, REMAINDER %s)
      WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)', i, i);
  END LOOP;
END $$;

-- What setups with a budget spent since a time, in US dollars.
CREATE TABLE spent (
  environment_id TEXT COLLATE "C" NOT NULL,
  setup          BYTEA NOT NULL,
  since          BIGINT,
  usd            DOUBLE PRECISION NOT NULL DEFAULT 0,
  PRIMARY KEY (environment_id, setup)
);

-- How many evaluations of those ended, and what they cost.
CREATE TABLE prices (
  environment_id TEXT COLLATE "C" NOT NULL,
  setup          BYTEA NOT NULL,
  evaluator      BYTEA NOT NULL,
  made           BIGINT NOT NULL,
  cost           DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (environment_id, setup, evaluator)
);
