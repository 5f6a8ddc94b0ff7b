-- What the key filter of a partition is made of.
SELECT env, trace_hi, trace_lo, span_id, start FROM spans
