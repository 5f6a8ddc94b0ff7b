-- The values of evaluations. What follows says which.
SELECT rowid, ended, vals FROM evaluations WHERE
