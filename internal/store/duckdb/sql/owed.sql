-- What is owed on some spans and due by $4. What goes before says what of it, $1 and $2 bound their seq, $3 are they.
FROM evaluations e
JOIN judgements j ON j.id = e.judgement
WHERE e.seq BETWEEN $1 AND $2 AND e.seq IN (SELECT unnest($3::BIGINT[])) AND e.due <= $4 AND j.status = 'deferred'
ORDER BY e.seq, e.due, e.ended, e.rowid
