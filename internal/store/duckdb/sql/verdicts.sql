-- The evaluations of spans. What follows says of which.
SELECT e.seq, j.setup, j.evaluator, j.status, j.reason, j.backend, j.truncated, e.duration, e.ended,
       j.names, j.kinds, e.vals
FROM evaluations e
JOIN judgements j ON j.id = e.judgement
WHERE e.seq IN
