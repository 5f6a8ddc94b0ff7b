-- The outputs of evaluations that are done: field is of the evaluator and the output.
outputs AS (
  SELECT id, setup, hash(evaluator, name) AS field, max(place) AS place, substr(any_value(kinds), max(place)::INTEGER, 1) AS kind
  FROM (
    SELECT id, setup, evaluator, kinds, unnest(names) AS name, generate_subscripts(names, 1) AS place
    FROM judgements
    WHERE status = 'done'
  )
  GROUP BY id, setup, evaluator, name
)
