-- When the oldest of that was deferred.
SELECT coalesce(min(ended), 0) FROM evaluations
WHERE judgement IN (SELECT id FROM judgements WHERE status = 'deferred')
  AND due >= $1 AND (due > $1 OR seq > $2)
  AND seq IN (SELECT seq FROM spans WHERE env = $3)
