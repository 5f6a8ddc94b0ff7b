-- Where a partition's own numbering goes on.
SELECT (SELECT coalesce(max(seq) + 1, 0) FROM spans),
       (SELECT coalesce(max(code) + 1, 1) FROM environments),
       (SELECT coalesce(max(id) + 1, 1) FROM origins),
       (SELECT coalesce(max(id) + 1, 1) FROM shapes),
       (SELECT coalesce(max(id) + 1, 1) FROM judgements),
       (SELECT coalesce(max(id) + 1, 1) FROM texts)
