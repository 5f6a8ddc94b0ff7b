-- Whole spans. What follows says which.
SELECT seq, start, duration, trace_hi, trace_lo, span_id, parent_id, trace_state,
       name, status, status_message,
       workflow, entity, vendor, request_model, response_model,
       input_tokens, output_tokens, total_tokens,
       input, output, events,
       origin, attr_shape, attrs0, attrs1, attrs2, attrs3,
       prompt_shape, prompts, completion_shape, completions
FROM spans
WHERE
