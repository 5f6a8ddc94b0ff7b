-- What is owed on spans of $1 that do not start before $2.
SELECT count(*), count(DISTINCT e.seq), coalesce(min(e.ended), 0)
FROM evaluations e
JOIN spans s ON s.seq = e.seq
WHERE s.env = $1 AND s.start >= $2 AND e.judgement IN (SELECT id FROM judgements WHERE status = 'deferred')
