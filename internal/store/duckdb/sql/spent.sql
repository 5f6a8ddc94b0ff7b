-- What the evaluations of setup $2 took that ended at $3 or after, and the tries
-- of those that are deferred still, whenever these were.
SELECT coalesce(sum(e.cost), 0)
FROM evaluations e
JOIN spans s ON s.seq = e.seq
WHERE s.env = $1 AND e.cost <> 0
  AND (e.ended >= $3 AND e.judgement IN (SELECT id FROM judgements WHERE setup = $2)
    OR e.judgement IN (SELECT id FROM judgements WHERE setup = $2 AND status = 'deferred'))
