-- Rows of spans in some traces. $1 are the first halves of the trace ids.
SELECT env, trace_hi, trace_lo, span_id, seq FROM spans WHERE trace_hi IN (SELECT unnest($1::BIGINT[]))
