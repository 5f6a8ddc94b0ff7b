-- Users of a ClickHouse server for Touchstone, to be run by an administrator. Put the
-- hashes of two passwords in place first; the server refuses what is none:
--
--   printf %s "$PASSWORD" | sha256sum

CREATE DATABASE IF NOT EXISTS touchstone;

-- What gateways, backlog workers and migrations need, and nothing outside the database.
CREATE USER IF NOT EXISTS touchstone IDENTIFIED WITH sha256_hash BY 'SHA256 of the password';
-- ALTER TABLE has ALTER DELETE in it, which partitions are dropped by.
GRANT SELECT, INSERT, ALTER TABLE, CREATE TABLE, DROP TABLE, OPTIMIZE ON touchstone.* TO touchstone;
GRANT SELECT ON system.parts TO touchstone;
-- Where "cluster" is set tables are made ON CLUSTER, which is a grant of its own:
-- https://clickhouse.com/docs/sql-reference/statements/grant#cluster
-- GRANT CLUSTER ON *.* TO touchstone;

-- Who looks at the tables by other means.
CREATE USER IF NOT EXISTS touchstone_reader IDENTIFIED WITH sha256_hash BY 'SHA256 of the reading password' SETTINGS readonly = 1, max_execution_time = 60;
GRANT SELECT ON touchstone.* TO touchstone_reader;
