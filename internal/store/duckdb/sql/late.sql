-- Rows that may be those of some spans, the latest first. $1 and $2 bound their
-- start, $3 are the first halves of their trace ids.
SELECT env, trace_hi, trace_lo, span_id, seq, start, content
FROM spans
WHERE start BETWEEN $1 AND $2 AND trace_hi IN (SELECT unnest($3::BIGINT[]))
ORDER BY seq DESC
