-- How many evaluations of the setup $1 there are of spans of the environment $2
-- that do not start before $3, by what is alike of them.
SELECT j.evaluator, j.status, j.reason, sum(n)::BIGINT, max(latest), sum(spent)
FROM (
  SELECT e.judgement, count(*) AS n, max(e.ended) AS latest, sum(e.cost) AS spent
  FROM evaluations e
  JOIN spans s ON s.seq = e.seq
  WHERE s.env = $2 AND s.start >= $3 AND e.judgement IN (SELECT id FROM judgements WHERE setup = $1)
  GROUP BY e.judgement
)
JOIN judgements j ON j.id = judgement
GROUP BY j.evaluator, j.status, j.reason
