-- Whose the spans in some rows are. $1 and $2 bound their seq, $3 are they.
SELECT seq, start, env, trace_hi, trace_lo, span_id FROM spans
WHERE seq BETWEEN $1 AND $2 AND seq IN (SELECT unnest($3::BIGINT[]))
