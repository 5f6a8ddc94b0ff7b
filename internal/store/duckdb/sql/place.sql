-- The row of one span that does not start before $5.
SELECT seq FROM spans
WHERE env = $1 AND trace_hi = $2 AND trace_lo = $3 AND span_id = $4 AND start >= $5
