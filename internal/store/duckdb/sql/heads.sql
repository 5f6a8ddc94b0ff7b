-- Which evaluations some spans have. $1 and $2 bound their seq, $3 are they.
SELECT e.seq, e.judgement, j.setup, j.evaluator, j.status, e.revision
FROM evaluations e
JOIN judgements j ON j.id = e.judgement
WHERE e.seq BETWEEN $1 AND $2 AND e.seq IN (SELECT unnest($3::BIGINT[]))
