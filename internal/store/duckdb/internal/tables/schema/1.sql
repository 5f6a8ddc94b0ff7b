-- Format 1: the tables of one partition. Every name of a table is looked up in
-- the partition that the connection uses.

CREATE TABLE environments (
  code INTEGER,
  id VARCHAR,
  retention BIGINT -- nanoseconds, the longest seen
);

-- Who sends: what the spans of one process have in common. Rows may repeat.
CREATE TABLE origins (
  id INTEGER,
  service VARCHAR,
  scope_name VARCHAR,
  scope_version VARCHAR,
  kind VARCHAR,
  keys VARCHAR[],
  vals VARCHAR[]
);

-- The keys of a map. The values of the keys in kept0 are the span's attrs0 (or
-- prompts, or completions), in the same order, and so on; those of folded keys
-- are the text of the column named in sources. Rows may repeat.
CREATE TABLE shapes (
  id INTEGER,
  kept0 VARCHAR[],
  kept1 VARCHAR[],
  kept2 VARCHAR[],
  kept3 VARCHAR[],
  folded VARCHAR[],
  sources VARCHAR[]
);

-- What evaluations of one evaluator have in common; status 'deferred' makes them
-- owed. Rows may repeat.
CREATE TABLE judgements (
  id INTEGER,
  setup VARCHAR,
  evaluator VARCHAR,
  status VARCHAR,
  reason VARCHAR,
  backend VARCHAR,
  truncated INTEGER,
  names VARCHAR[],
  kinds VARCHAR, -- one letter per output: s, f, i or b
  version VARCHAR,
  unpriced INTEGER,
  model VARCHAR, -- that answered
  cached INTEGER,
  generation BIGINT, -- of the setup
  source VARCHAR
);

-- Ids are signed so that they sort as their bytes do. An absent text is '', an
-- absent count -1.
CREATE TABLE spans (
  seq BIGINT,
  env INTEGER,
  start BIGINT,
  duration BIGINT,
  trace_hi BIGINT,
  trace_lo BIGINT,
  span_id BIGINT,
  parent_id BIGINT,
  content BIGINT, -- a digest of everything else
  origin INTEGER,
  name VARCHAR,
  status VARCHAR,
  status_message VARCHAR,
  trace_state VARCHAR,
  workflow VARCHAR,
  entity VARCHAR,
  conversation VARCHAR,
  session VARCHAR,
  user_id VARCHAR,
  vendor VARCHAR,
  request_model VARCHAR,
  response_model VARCHAR,
  input_tokens BIGINT,
  output_tokens BIGINT,
  total_tokens BIGINT,
  cost BIGINT, -- billionths of a US dollar
  input_cost BIGINT,
  attr_shape INTEGER,
  attrs0 VARCHAR[], -- in four lists by key: a filter reads one of them
  attrs1 VARCHAR[],
  attrs2 VARCHAR[],
  attrs3 VARCHAR[],
  prompt_shape INTEGER,
  prompts VARCHAR[],
  completion_shape INTEGER,
  completions VARCHAR[],
  input VARCHAR,
  output VARCHAR,
  type VARCHAR,
  arrived BIGINT,
  flags BIGINT,
  links VARCHAR, -- JSON
  events VARCHAR, -- JSON
  text_bytes BIGINT -- of all texts: how much of a page the span takes
);

-- A span has one row for each pair of setup and evaluator at most, that of the
-- highest revision. What nearly
-- all rows have zeros for compresses to nothing.
CREATE TABLE evaluations (
  seq BIGINT,
  judgement INTEGER,
  duration BIGINT,
  ended BIGINT,
  vals VARCHAR[],
  prompt_tokens BIGINT,
  completion_tokens BIGINT,
  cost DOUBLE,
  attempts INTEGER,
  due BIGINT,
  probability DOUBLE, -- that such a span was judged
  revision BIGINT -- how often the span had been judged before
);

-- The evaluations whose place another revision took.
CREATE TABLE predecessors AS FROM evaluations;

-- Messages that came apart from their span.
CREATE TABLE messages (
  env INTEGER,
  trace_hi BIGINT,
  trace_lo BIGINT,
  span_id BIGINT,
  happened BIGINT,
  prompt_keys VARCHAR[],
  prompts VARCHAR[],
  completion_keys VARCHAR[],
  completions VARCHAR[]
);

-- Rows of older partitions that rows of this one replace and that are yet to
-- be deleted there.
CREATE TABLE replaced (
  serial BIGINT,
  seq BIGINT
);

-- What follows is the index of a partition that takes in no more spans: all of it
-- is made at once, sorted, from the tables above, and counts only once there is a
-- row in indexed.

-- Attributes of spans with their values, as numbers made of hashes.
CREATE TABLE tokens (
  token BIGINT,
  seq BIGINT
);

-- The latest verdict of each output on each span: what it is as a number, and as a
-- text where that is not the same. Evaluations that come later change it.
CREATE TABLE verdicts (
  field BIGINT, -- a hash of the evaluator, the output and the environment
  number DOUBLE,
  text VARCHAR,
  seq BIGINT
);

-- Spans that were deleted after the index was made.
CREATE TABLE gone (
  seq BIGINT
);

CREATE TABLE indexed (
  probe UBIGINT -- tells which hash function made it
);
