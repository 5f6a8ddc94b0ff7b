-- Format 2: a text of a span's messages is kept once.

-- Texts of one environment each, in the order in which they came. Some may repeat.
CREATE TABLE texts (
  id BIGINT,
  text VARCHAR
);

-- Rows of spans below this number have the texts of their messages themselves.
CREATE TABLE inline AS SELECT max(seq) + 1 AS below FROM spans;

-- The ids of the texts of prompts and completions, in the order of the shape's keys. Rows
-- that have them have empty lists in prompts and completions; those of format 1 have null
-- here and the texts there.
ALTER TABLE spans ADD COLUMN prompt_texts BIGINT[];
ALTER TABLE spans ADD COLUMN completion_texts BIGINT[];
