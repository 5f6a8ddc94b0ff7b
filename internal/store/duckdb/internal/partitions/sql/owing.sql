-- How much is owed, and when the last evaluation ended.
SELECT (SELECT count(*) FROM evaluations WHERE judgement IN (SELECT id FROM judgements WHERE status = 'deferred')),
       (SELECT coalesce(max(ended), 0) FROM evaluations)
