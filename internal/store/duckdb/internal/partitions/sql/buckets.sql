-- A start from each bucket of ten minutes that a span of an environment starts in.
SELECT env, any_value(start) FROM spans GROUP BY env, start // 600_000_000_000 ORDER BY 1, 2
