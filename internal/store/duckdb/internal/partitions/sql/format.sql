-- How many tables a partition has, and how many of them tell its format.
SELECT count(*), count(*) FILTER (table_name = 'format')
FROM duckdb_tables() WHERE database_name = $1
