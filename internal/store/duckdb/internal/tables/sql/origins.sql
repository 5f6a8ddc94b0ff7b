-- Origins. What follows says which.
SELECT id, service, scope_name, scope_version, kind, keys, vals FROM origins WHERE id IN
