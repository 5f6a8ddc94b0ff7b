-- When the last evaluation ended of spans of $1 that do not start before $2, if
-- that is after $3.
SELECT coalesce(max(e.ended), 0)
FROM evaluations e
JOIN spans s ON s.seq = e.seq
WHERE s.env = $1 AND s.start >= $2 AND e.ended > $3
  AND e.judgement IN (SELECT id FROM judgements WHERE status <> 'deferred')
