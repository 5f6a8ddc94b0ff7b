-- When the last span of $1 started, if that is not before $2.
SELECT coalesce(max(start), 0) FROM spans WHERE env = $1 AND start >= $2
