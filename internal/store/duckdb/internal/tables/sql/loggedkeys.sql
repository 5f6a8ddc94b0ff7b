-- Whose messages came apart from them, of an environment.
SELECT DISTINCT trace_hi, trace_lo, span_id
FROM messages
WHERE env = $1
