-- What outputs show of spans. What follows says which.
SELECT seq, name, workflow, entity, vendor, request_model, response_model, origin
FROM spans
WHERE
