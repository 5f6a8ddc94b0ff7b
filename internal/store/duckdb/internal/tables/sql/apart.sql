-- How much text there is in messages from behind row $1 on, of $2 rows at most.
SELECT rowid,
  coalesce(list_sum(list_transform(prompts, lambda text: strlen(text))), 0)::BIGINT
    + coalesce(list_sum(list_transform(completions, lambda text: strlen(text))), 0)::BIGINT
FROM messages WHERE rowid > $1 ORDER BY rowid LIMIT $2
