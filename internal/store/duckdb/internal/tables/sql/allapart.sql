-- Messages from behind row $1 on, until row $2.
SELECT env, trace_hi, trace_lo, span_id, happened, prompt_keys, prompts, completion_keys, completions
FROM messages WHERE rowid > $1 AND rowid <= $2 ORDER BY rowid
