-- A start of the rows before $1 from each bucket of ten minutes, by environment.
SELECT env, any_value(start) FROM spans WHERE seq < $1 GROUP BY env, start // 600_000_000_000
