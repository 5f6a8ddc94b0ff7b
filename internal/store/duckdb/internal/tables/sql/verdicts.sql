-- The evaluations of spans. What goes before says what of them, what follows of which.
FROM evaluations e
JOIN judgements j ON j.id = e.judgement
WHERE
