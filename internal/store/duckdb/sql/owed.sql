-- What is owed on some spans and due by $4. $1 and $2 bound their seq, $3 are they.
SELECT e.seq, j.setup, j.evaluator, j.status, j.reason, j.backend, j.version, j.truncated, j.unpriced,
       e.prompt_tokens, e.completion_tokens, e.cost, e.attempts, e.duration, e.ended, e.due,
       j.names, j.kinds, e.vals
FROM evaluations e
JOIN judgements j ON j.id = e.judgement
WHERE e.seq BETWEEN $1 AND $2 AND e.seq IN (SELECT unnest($3::BIGINT[])) AND e.due <= $4 AND j.status = 'deferred'
ORDER BY e.seq, e.due, e.ended, e.rowid
