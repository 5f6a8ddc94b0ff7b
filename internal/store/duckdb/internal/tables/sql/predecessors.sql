-- The predecessors of spans' evaluations. What goes before says what of them, what follows of which.
FROM predecessors e
WHERE
