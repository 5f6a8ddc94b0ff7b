-- Whether a partition has its tables, and the columns that came after them.
SELECT count(*) > 0, count(*) FILTER (column_name = 'due') > 0
FROM duckdb_columns() WHERE database_name = $1 AND table_name = 'evaluations'
