-- The outputs of judgements that came to an end, one by one, and how their names
-- sort: all of them, those that say what it is, and that which says whose it is.
SELECT id, place, setup, evaluator, backend, source, version, model, name, substr(kinds, place, 1) AS kind,
       dense_rank() OVER (ORDER BY setup, evaluator, name) AS ranked,
       dense_rank() OVER (ORDER BY evaluator, name) AS kin,
       dense_rank() OVER (ORDER BY setup) AS owner
FROM (
  SELECT id, setup, evaluator, backend, source, version, model, kinds, unnest(names) AS name, generate_subscripts(names, 1) AS place
  FROM judgements
  WHERE status = 'done'
)
