-- Judgements. What goes before says what of them, what follows which.
FROM judgements WHERE id IN
