// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// Bounds of custom evaluators.
const (
	maxCustomName     = 255 // characters
	maxCustomText     = 4096
	maxCustomMessages = 50
	maxCustomBytes    = 64 << 10 // of all texts together
	maxCustomFields   = 50
	maxCustomValues   = 100
	maxCustomTokens   = 32_768
	maxCustomStops    = 4
	maxCustomSlug     = 100
)

var (
	customSlug  = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	looksLikeID = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	customField = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$`)
)

// Check refuses, with a fault of kind Invalid that names the field, a custom
// evaluator that no judge could be asked with.
func (c *CustomEvaluator) Check() error {
	for _, check := range []func() error{
		c.checkNames, c.checkSlug, c.checkMessages,
		func() error { return checkCustomFields("input_schema", c.Input) },
		func() error { return checkCustomFields("output_schema", c.Output) },
		c.checkPasses, c.checkSize, c.checkPlaceholders, c.checkSampling,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func invalid(format string, args ...any) error { return fault.New(fault.Invalid, format, args...) }

func (c *CustomEvaluator) checkNames() error {
	for _, f := range [...]struct {
		name, text string
		required   bool
		limit      int
	}{
		{"name", c.Name, true, maxCustomName},
		{"provider", c.Provider, true, maxCustomName},
		{"model", c.Model, true, maxCustomName},
		{"mode", c.Mode, false, maxCustomName},
		{"description", c.Description, false, maxCustomText},
	} {
		if f.required && strings.TrimSpace(f.text) == "" {
			return invalid("%s is required", f.name)
		}
		if utf8.RuneCountInString(f.text) > f.limit {
			return invalid("%s must be at most %d characters", f.name, f.limit)
		}
	}
	return nil
}

func (c *CustomEvaluator) checkSlug() error {
	switch {
	case c.Slug == "":
		return invalid("slug is required: name has no letters or digits to make one of")
	case len(c.Slug) > maxCustomSlug:
		return invalid("slug must be at most %d characters", maxCustomSlug)
	case !customSlug.MatchString(c.Slug):
		return invalid("slug must be lower-case letters and digits, in words joined by hyphens")
	case looksLikeID.MatchString(c.Slug):
		return invalid("slug must not look like an id")
	}
	return nil
}

func (c *CustomEvaluator) checkMessages() error {
	if len(c.Messages) == 0 {
		return invalid("messages must contain at least one item")
	}
	if len(c.Messages) > maxCustomMessages {
		return invalid("messages must have at most %d items", maxCustomMessages)
	}
	for i, m := range c.Messages {
		switch {
		case m.Role != RoleSystem && m.Role != RoleUser && m.Role != RoleAssistant:
			return invalid("messages[%d].role must be one of system, user, assistant", i)
		case strings.TrimSpace(m.Content) == "":
			return invalid("messages[%d].content is required", i)
		}
	}
	return nil
}

// checkSize bounds what a list of evaluators may come to.
func (c *CustomEvaluator) checkSize() error {
	size := len(c.Description)
	for _, m := range c.Messages {
		size += len(m.Content)
	}
	for _, f := range slices.Concat(c.Input, c.Output) {
		size += len(f.Name) + len(f.Description) + len(f.Label)
		for _, value := range f.Values {
			size += len(value)
		}
	}
	if size > maxCustomBytes {
		return invalid("messages, input_schema and output_schema must have at most %d bytes of text together", maxCustomBytes)
	}
	return nil
}

func checkCustomFields(schema string, fields []CustomField) error {
	if len(fields) == 0 {
		return invalid("%s must contain at least one item", schema)
	}
	if len(fields) > maxCustomFields {
		return invalid("%s must have at most %d items", schema, maxCustomFields)
	}
	for i, f := range fields {
		path := fmt.Sprintf("%s[%d]", schema, i)
		if err := f.check(path); err != nil {
			return err
		}
		same := func(other CustomField) bool { return strings.EqualFold(other.Name, f.Name) }
		if earlier := slices.IndexFunc(fields[:i], same); earlier >= 0 {
			return invalid("%s.name is the same as that of %s[%d]", path, schema, earlier)
		}
	}
	return nil
}

func (f *CustomField) check(path string) error {
	switch {
	case f.Name == "":
		return invalid("%s.name is required", path)
	case !customField.MatchString(f.Name):
		return invalid(`%s.name must be 1 to 64 letters, digits, "_", "." or "-", beginning with a letter, a digit or "_"`, path)
	case utf8.RuneCountInString(f.Description) > maxCustomText:
		return invalid("%s.description must be at most %d characters", path, maxCustomText)
	case utf8.RuneCountInString(f.Label) > maxCustomName:
		return invalid("%s.label must be at most %d characters", path, maxCustomName)
	}
	switch f.Type {
	case CustomString, CustomInt, CustomFloat, CustomNumber, CustomBoolean:
		if len(f.Values) > 0 {
			return invalid("%s.enum_values must not be given: the type is not enum", path)
		}
		return nil
	case CustomEnum:
		return f.checkValues(path + ".enum_values")
	}
	return invalid("%s.type must be one of string, int, float, boolean, enum, number", path)
}

func (f *CustomField) checkValues(path string) error {
	if len(f.Values) == 0 {
		return invalid("%s must contain at least one item", path)
	}
	if len(f.Values) > maxCustomValues {
		return invalid("%s must have at most %d items", path, maxCustomValues)
	}
	for i, value := range f.Values {
		switch {
		case value == "":
			return invalid("%s[%d] must not be empty", path, i)
		case utf8.RuneCountInString(value) > maxCustomName:
			return invalid("%s[%d] must be at most %d characters", path, i, maxCustomName)
		}
		if earlier := slices.Index(f.Values[:i], value); earlier >= 0 {
			return invalid("%s[%d] is the same as %s[%d]", path, i, path, earlier)
		}
	}
	return nil
}

func (c *CustomEvaluator) checkSampling() error {
	s := &c.Sampling
	for _, n := range [...]struct {
		name      string
		value     *float64
		low, high float64
	}{
		{"temperature", s.Temperature, 0, 2},
		{"top_p", s.TopP, 0, 1},
		{"frequency_penalty", s.FrequencyPenalty, -2, 2},
		{"presence_penalty", s.PresencePenalty, -2, 2},
	} {
		// The comparison is so written that it refuses what is no number.
		if n.value != nil && !(*n.value >= n.low && *n.value <= n.high) {
			return invalid("%s must be between %v and %v", n.name, n.low, n.high)
		}
	}
	if s.MaxTokens < 0 || s.MaxTokens > maxCustomTokens {
		return invalid("max_tokens must be between 1 and %d", maxCustomTokens)
	}
	if len(s.Stop) > maxCustomStops {
		return invalid("stop must have at most %d items", maxCustomStops)
	}
	for i, stop := range s.Stop {
		if stop == "" || utf8.RuneCountInString(stop) > maxCustomName {
			return invalid("stop[%d] must be 1 to %d characters", i, maxCustomName)
		}
	}
	return nil
}
