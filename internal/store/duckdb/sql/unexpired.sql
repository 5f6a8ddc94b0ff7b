-- How much is owed on spans that are kept. $1 are codes of environments, and $2
-- the earliest starts of their spans.
SELECT count(*) FROM evaluations e
JOIN spans s ON s.seq = e.seq
JOIN (SELECT unnest($1::INTEGER[]) AS env, unnest($2::BIGINT[]) AS first) k ON k.env = s.env AND s.start >= k.first
WHERE e.judgement IN (SELECT id FROM judgements WHERE status = 'deferred')
