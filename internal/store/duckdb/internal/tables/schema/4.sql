-- Format 4: what verdicts rest on.

-- What a threshold is compared with, NaN where no number decides; and the reason, followed
-- on a second line by the evidence as JSON, if there is any.
ALTER TABLE evaluations ADD COLUMN score DOUBLE;
ALTER TABLE evaluations ADD COLUMN grounds VARCHAR;
UPDATE evaluations SET score = 'NaN', grounds = '';
ALTER TABLE predecessors ADD COLUMN score DOUBLE;
ALTER TABLE predecessors ADD COLUMN grounds VARCHAR;
UPDATE predecessors SET score = 'NaN', grounds = '';
