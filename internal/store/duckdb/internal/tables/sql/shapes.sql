-- Shapes. What follows says which.
SELECT id, kept0, kept1, kept2, kept3, folded, sources FROM shapes WHERE id IN
