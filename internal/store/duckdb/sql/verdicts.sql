-- The evaluations of spans. What follows says of which.
SELECT e.seq, j.setup, j.evaluator, j.status, j.reason, j.backend, j.version, j.truncated, j.unpriced,
       e.prompt_tokens, e.completion_tokens, e.cost, e.attempts, e.duration, e.ended, e.due,
       j.names, j.kinds, e.vals
FROM evaluations e
JOIN judgements j ON j.id = e.judgement
WHERE e.seq IN
