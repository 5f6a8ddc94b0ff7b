-- What is in a partition, by environment.
SELECT e.code, e.id, e.retention,
       coalesce(s.spans, 0), coalesce(m.messages, 0),
       coalesce(least(s.first, m.first), 0), coalesce(greatest(s.last, m.last), 0)
FROM (SELECT code, any_value(id) AS id, max(retention) AS retention FROM environments GROUP BY code) e
LEFT JOIN (SELECT env, count(*) AS spans, min(start) AS first, max(start) AS last FROM spans GROUP BY env) s
  ON s.env = e.code
LEFT JOIN (SELECT env, count(*) AS messages, min(happened) AS first, max(happened) AS last FROM messages GROUP BY env) m
  ON m.env = e.code
