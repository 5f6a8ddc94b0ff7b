-- What is owed to environment $4 and due first, of what comes behind due $1 and seq $2.
SELECT due, seq, ended FROM evaluations
WHERE judgement IN (SELECT id FROM judgements WHERE status = 'deferred')
  AND due >= $1 AND (due > $1 OR seq > $2)
  AND seq IN (SELECT seq FROM spans WHERE env = $4)
ORDER BY due, seq
LIMIT $3
