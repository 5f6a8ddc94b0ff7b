-- Columns that files of earlier versions lack, in the order of schema.sql.
ALTER TABLE judgements ADD COLUMN version VARCHAR DEFAULT '';
ALTER TABLE judgements ADD COLUMN unpriced INTEGER DEFAULT 0;
ALTER TABLE evaluations ADD COLUMN prompt_tokens BIGINT DEFAULT 0;
ALTER TABLE evaluations ADD COLUMN completion_tokens BIGINT DEFAULT 0;
ALTER TABLE evaluations ADD COLUMN cost DOUBLE DEFAULT 0;
ALTER TABLE evaluations ADD COLUMN attempts INTEGER DEFAULT 0;
ALTER TABLE evaluations ADD COLUMN due BIGINT DEFAULT 0;
