-- The values of evaluations. What follows says which.
SELECT rowid, seq, judgement, ended, vals FROM evaluations WHERE
