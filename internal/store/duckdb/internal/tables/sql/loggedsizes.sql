-- How many bytes of text those have that logged.sql reads, of each span.
SELECT trace_hi, trace_lo, span_id,
  sum(coalesce(list_sum(list_transform(prompts, lambda text: strlen(text))), 0)
    + coalesce(list_sum(list_transform(completions, lambda text: strlen(text))), 0))::BIGINT
FROM messages
WHERE env = $1 AND trace_hi IN (SELECT unnest($2::BIGINT[])) AND span_id IN (SELECT unnest($3::BIGINT[]))
GROUP BY ALL
