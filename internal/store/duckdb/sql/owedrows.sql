-- How much is owed on some spans. $1 and $2 bound their seq, $3 are they.
SELECT count(*) FROM evaluations
WHERE seq BETWEEN $1 AND $2 AND seq IN (SELECT unnest($3::BIGINT[]))
  AND judgement IN (SELECT id FROM judgements WHERE status = 'deferred')
