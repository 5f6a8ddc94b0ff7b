SELECT count(*) FROM duckdb_tables() WHERE database_name = $1 AND table_name = 'replaced'
