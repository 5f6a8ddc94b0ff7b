-- The evaluations of spans. What goes before says what of them, what follows of which.
FROM evaluations e
WHERE
