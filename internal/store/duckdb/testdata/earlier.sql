-- Tables as an earlier version made them, and what it wrote: five spans, each
-- with a verdict and something that is owed.


CREATE TABLE environments (
  code INTEGER,
  id VARCHAR,
  retention BIGINT
);

CREATE TABLE origins (
  id INTEGER,
  service VARCHAR,
  scope_name VARCHAR,
  scope_version VARCHAR,
  kind VARCHAR,
  keys VARCHAR[],
  vals VARCHAR[]
);

CREATE TABLE shapes (
  id INTEGER,
  kept0 VARCHAR[],
  kept1 VARCHAR[],
  kept2 VARCHAR[],
  kept3 VARCHAR[],
  folded VARCHAR[],
  sources VARCHAR[]
);

CREATE TABLE judgements (
  id INTEGER,
  setup VARCHAR,
  evaluator VARCHAR,
  status VARCHAR,
  reason VARCHAR,
  backend VARCHAR,
  truncated INTEGER,
  names VARCHAR[],
  kinds VARCHAR
);

CREATE TABLE spans (
  seq BIGINT,
  env INTEGER,
  start BIGINT,
  duration BIGINT,
  trace_hi BIGINT,
  trace_lo BIGINT,
  span_id BIGINT,
  parent_id BIGINT,
  content BIGINT,
  origin INTEGER,
  name VARCHAR,
  status VARCHAR,
  status_message VARCHAR,
  trace_state VARCHAR,
  workflow VARCHAR,
  entity VARCHAR,
  vendor VARCHAR,
  request_model VARCHAR,
  response_model VARCHAR,
  input_tokens BIGINT,
  output_tokens BIGINT,
  total_tokens BIGINT,
  attr_shape INTEGER,
  attrs0 VARCHAR[],
  attrs1 VARCHAR[],
  attrs2 VARCHAR[],
  attrs3 VARCHAR[],
  prompt_shape INTEGER,
  prompts VARCHAR[],
  completion_shape INTEGER,
  completions VARCHAR[],
  input VARCHAR,
  output VARCHAR,
  events VARCHAR
);

CREATE TABLE evaluations (
  seq BIGINT,
  judgement INTEGER,
  duration BIGINT,
  ended BIGINT,
  vals VARCHAR[]
);

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

CREATE TABLE replaced (
  serial BIGINT,
  seq BIGINT
);

INSERT INTO environments VALUES (1, 'env_prd', 2592000000000000);
INSERT INTO origins VALUES (1, 'shop', '', '', '', [], []);
INSERT INTO shapes VALUES (1, [], [], [], [], [], []);
INSERT INTO judgements VALUES
  (1, 's', 'e', 'done', '', 'deterministic', 0, ['n'], 'i'),
  (2, 's', 'tone', 'deferred', 'model', '', 0, [], '');
INSERT INTO spans
  SELECT i - 1, 1, 1763720000000000000 + i, 5, -9223372036854775808, i - 9223372036854775808, i - 9223372036854775808,
    -9223372036854775808, 0, 1, 'span', '', '', '', '', '', '', '', '', -1, -1, -1, 1, [], [], [], [], 1, [], 1, [], '', '', ''
  FROM range(1, 6) t(i);
INSERT INTO evaluations
  SELECT i - 1, 1, 7, 1763720000000000010, ['4'] FROM range(1, 6) t(i)
  UNION ALL SELECT i - 1, 2, 0, 1763720000000000020, [] FROM range(1, 6) t(i);
