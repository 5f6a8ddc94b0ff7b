-- What the window of recent keys needs of the rows from $1 on.
SELECT env, trace_hi, trace_lo, span_id, seq, start, content FROM spans WHERE seq >= $1 ORDER BY seq
