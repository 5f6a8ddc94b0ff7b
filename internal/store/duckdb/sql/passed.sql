-- The latest start of the rows before $1, by environment.
SELECT env, max(start) FROM spans WHERE seq < $1 GROUP BY env
