-- The tokens of the attributes in one list (LIST) of some spans (SOME): see Token. What
-- is longer than LONGEST bytes has none.
INSERT INTO tokens
SELECT ((LIST::UBIGINT << 61) | (xor(hash(k) >> 48, (env & 65535)::UBIGINT) << 45) | (hash(k, v) >> 19))::BIGINT AS token, seq
FROM (
  SELECT s.seq, s.env, unnest(h.keptLIST) AS k, unnest(s.attrsLIST) AS v
  FROM spans s JOIN shapes h ON h.id = s.attr_shape
  WHERE SOME
)
WHERE strlen(v) <= LONGEST
ORDER BY token, seq
