-- Format 3: texts of completions lie apart from those of prompts, so that a filter on
-- completions decodes no prompts.

-- A text is in text if it is one of prompts, and here if it is one of completions.
ALTER TABLE texts ADD COLUMN completion VARCHAR;

-- Those with an id below this number are in text, whichever they are of.
ALTER TABLE inline ADD COLUMN mixed BIGINT;
UPDATE inline SET mixed = (SELECT max(id) + 1 FROM texts);
