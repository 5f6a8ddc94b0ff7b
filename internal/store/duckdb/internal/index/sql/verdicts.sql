-- The verdicts of some outputs (FIELDS) on some spans (SOME): see Field. Of several
-- outputs of one name the last counts. Where several setups have an evaluator judge
-- (SHARED), the latest counts (LATEST). Text is null where the number says it all.
INSERT INTO verdicts
WITH OUTPUTS, said AS (
  SELECT (xor(o.field, s.env::UBIGINT << 32) >> 1)::BIGINT AS field, o.kind, e.vals[o.place] AS v, s.seq, e.ended, e.rowid AS n
  FROM evaluations e
  JOIN (SELECT * FROM outputs WHERE FIELDS AND field SHARED (SELECT field FROM outputs GROUP BY field HAVING min(setup) <> max(setup))) o ON o.id = e.judgement
  JOIN spans s ON s.seq = e.seq
  WHERE SOME
)
SELECT field, number, CASE
    WHEN kind IN ('i', 'f') AND abs(number) < 9007199254740992 AND v <> '-0' THEN NULL
    WHEN kind = 'f' AND isfinite(number) AND v <> '-0' THEN NULL
    WHEN strlen(v) <= LONGEST THEN v
    ELSE chr(1) || 'long'
  END AS text, seq
FROM (SELECT field, kind, v, seq, ASNUMBER AS number FROM LATEST)
ORDER BY field, number, seq
