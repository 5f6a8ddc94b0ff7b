-- Messages that came apart from some spans, the first come first.
SELECT trace_hi, trace_lo, span_id, happened, prompt_keys, prompts, completion_keys, completions
FROM messages
WHERE env = $1 AND trace_hi IN (SELECT unnest($2::BIGINT[])) AND span_id IN (SELECT unnest($3::BIGINT[]))
ORDER BY rowid
