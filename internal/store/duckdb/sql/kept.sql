-- The rows of spans from behind $1 on, $2 at most, and how much text each has.
SELECT seq, text_bytes FROM spans WHERE seq > $1 ORDER BY seq LIMIT $2
