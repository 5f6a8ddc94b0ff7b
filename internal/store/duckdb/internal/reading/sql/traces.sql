-- Spans of some traces that do not start before $2. $3 are the first halves of
-- the trace ids. Of each trace those with the ids $4, and of others the first $5.
SELECT trace_hi, trace_lo, span_id, start, seq FROM spans
WHERE env = $1 AND start >= $2 AND trace_hi IN (SELECT unnest($3::BIGINT[]))
QUALIFY list_contains($4::BIGINT[], span_id)
  OR row_number() OVER (PARTITION BY trace_hi, trace_lo, list_contains($4::BIGINT[], span_id) ORDER BY start, span_id) <= $5
