-- Judgements of the evaluator $1 that came to an end with an output $2: the last
-- of that name, should there be several.
SELECT id, setup, place, substr(kinds, place, 1) FROM (
  SELECT id, setup, kinds, len(names) + 1 - list_position(list_reverse(names), $2) AS place
  FROM judgements
  WHERE evaluator = $1 AND status = 'done'
)
WHERE place IS NOT NULL
