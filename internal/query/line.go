// SPDX-License-Identifier: Apache-2.0

package query

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// Condition is a filter as the API takes it: a field, an operator, and a value where the
// operator has one.
type Condition struct {
	ID       string   `json:"id" doc:"The field."`
	Operator Operator `json:"operator" doc:"As filters have it."`
	Value    any      `json:"value,omitempty" doc:"What it is compared with." schema:"types=string,number,array elements=string"`
}

// shortNames maps the short names of fields in a typed line to their ids.
var shortNames = map[string]string{
	"status": "status_code", "model": "llm.request.model", "name": "span_name", "service": "service_name", "vendor": "llm.vendor", "type": "span_type",
	"tokens": "llm.usage.total_tokens", "took": "duration", "asked": "prompts", "said": "completions", "user": "user_id", "session": "session_id",
}

// statuses are short names of values of the field status_code.
var statuses = map[string]string{"error": "STATUS_CODE_ERROR", "ok": "STATUS_CODE_OK", "unset": "STATUS_CODE_UNSET"}

// compared are the signs that compare numbers.
var compared = map[string]Operator{">": OpGreaterThan, ">=": OpGreaterThanOrEqual, "<": OpLessThan, "<=": OpLessThanOrEqual}

var (
	// A name may begin as those of others' verdicts do, which have a colon within.
	lineName  = regexp.MustCompile(`^-?(?:evaluation\.(?:sdk|human):[^:<>~"]+|[^\s:<>~"-][^\s:<>~"]*)`)
	lineSign  = regexp.MustCompile(`^(?::|~|>=|<=|>|<)`)
	lineValue = regexp.MustCompile(`^(?:"((?:[^"\\]|\\.)*)"|[^\s"]+)`)
	lineSpace = regexp.MustCompile(`^(?:\s+|$)`)
	// An evaluator without one of its outputs is asked whether it passed the span.
	ofEvaluator = regexp.MustCompile(`^evaluation\.([a-z0-9-]+)$`)
	escaped     = regexp.MustCompile(`\\(.)`)
)

// FieldOfShort returns the field that a short name stands for, or the name itself.
func FieldOfShort(name string) string {
	if id, ok := shortNames[name]; ok {
		return id
	}
	return name
}

// ValueOfShort returns the value that a short name of a status stands for, or the text itself.
func ValueOfShort(id, text string) string {
	if long, ok := statuses[strings.ToLower(text)]; ok && id == "status_code" {
		return long
	}
	return text
}

// ParseLine reads conditions as one types them, such as
// status:error -service:bot duration>2s name:"GET /" evaluation.faithfulness.is_faithful:false "refund".
// A text in quotes alone is looked for in what models said. The error is of kind Invalid
// and says where the line stops being one.
func ParseLine(line string) ([]Condition, error) {
	var all []Condition
	rest := strings.TrimSpace(line)
	next := func(what *regexp.Regexp) []string {
		found := what.FindStringSubmatch(rest)
		if found != nil {
			rest = rest[len(found[0]):]
		}
		return found
	}
	for rest != "" {
		at := rest
		name, sign := next(lineName), []string(nil)
		if name != nil {
			sign = next(lineSign)
		}
		if sign == nil {
			rest = at
		}
		value := next(lineValue)
		switch {
		case sign == nil && (value == nil || at[0] != '"'):
			return nil, fault.New(fault.Invalid, "q: %q must be field:value, such as status:error", firstWord(at))
		case value == nil, next(lineSpace) == nil:
			return nil, fault.New(fault.Invalid, "q: %q needs a value; one with spaces stands in quotes", firstWord(at))
		}
		quoted := strings.HasPrefix(value[0], `"`)
		text := value[0]
		if quoted {
			text = escaped.ReplaceAllString(value[1], "$1")
		}
		if sign == nil {
			all = append(all, Condition{ID: "completions", Operator: OpContains, Value: text})
			continue
		}
		c, err := condition(name[0], sign[0], text, quoted)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word[:min(len(word), 60)]
}

// condition is one of a line; a value in quotes is taken as it stands.
func condition(name, sign, text string, quoted bool) (Condition, error) {
	short, not := strings.CutPrefix(name, "-")
	id := FieldOfShort(short)
	if verdict := ofEvaluator.FindStringSubmatch(id); verdict != nil {
		id = "touchstone.evaluation." + verdict[1] + "." + JudgedGood
	}
	if not && sign != ":" {
		return Condition{}, fault.New(fault.Invalid, `q: "-%s" takes ":", not %q`, short, sign)
	}
	pick := func(yes, no Operator) Operator {
		if not {
			return no
		}
		return yes
	}
	if op, ok := compared[sign]; ok {
		return Condition{ID: id, Operator: op, Value: amount(id, text)}, nil
	}
	switch {
	case sign == "~", (id == "prompts" || id == "completions") && !not:
		return Condition{ID: id, Operator: OpContains, Value: text}, nil
	case quoted:
		return Condition{ID: id, Operator: pick(OpEquals, OpNotEquals), Value: text}, nil
	case text == "*":
		return Condition{ID: id, Operator: pick(OpExists, OpNotExists)}, nil
	case !not && strings.HasSuffix(text, "*"):
		return Condition{ID: id, Operator: OpStartsWith, Value: strings.TrimSuffix(text, "*")}, nil
	}
	values := strings.Split(text, ",")
	for i, v := range values {
		values[i] = ValueOfShort(id, v)
	}
	if len(values) > 1 {
		return Condition{ID: id, Operator: pick(OpIn, OpNotIn), Value: values}, nil
	}
	return Condition{ID: id, Operator: pick(OpEquals, OpNotEquals), Value: values[0]}, nil
}

// amount is what is compared with: of durations milliseconds, also where a unit is given,
// of others the number as it was written, and a text where it is none.
func amount(id, text string) any {
	if d, err := time.ParseDuration(text); err == nil && (id == "duration" || id == "duration_ms") {
		return json.Number(strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', -1, 64))
	}
	if _, ok := ParseNumber(text); ok && json.Valid([]byte(text)) {
		return json.Number(text)
	}
	return text
}

// Filters reads conditions as Filter has them.
func Filters(all []Condition) ([]Filter, error) {
	list := make([]Filter, len(all))
	for i, c := range all {
		f := Filter{Operator: c.Operator}
		var err error
		if f.Field, err = ParseField(c.ID); err != nil {
			return nil, fault.New(fault.Invalid, "q: %s %s", c.ID, fault.Message(err))
		}
		switch value := c.Value.(type) {
		case []string:
			f.Values = value
		case string:
			f.Value = value
		case json.Number:
			f.Value = value.String()
		}
		if c.Operator.Numeric() {
			number, ok := ParseNumber(f.Value)
			if !ok {
				return nil, fault.New(fault.Invalid, "q: %s must be compared with a number", c.ID)
			}
			f.Number = number
		}
		list[i] = f
	}
	return list, nil
}

// Unknown is a field that no span has, and the one that may be meant by it, "" for none.
type Unknown struct {
	Field string `json:"field" doc:"The field."`
	Meant string `json:"did_you_mean,omitempty" doc:"The field that may be meant."`
}

// String returns the sentence that reports the field to a user.
func (u Unknown) String() string {
	if u.Meant == "" {
		return fmt.Sprintf("no recent span has the field %q", u.Field)
	}
	return fmt.Sprintf("no recent span has the field %q; did you mean %q?", u.Field, u.Meant)
}

// UnknownOf returns the attributes and verdicts of conditions that are not among the known
// fields of spans. Fields that every span has are always known.
func UnknownOf(all []Condition, known []string) []Unknown {
	list := []Unknown{}
	for _, c := range all {
		f, err := ParseField(c.ID)
		if err != nil || c.Operator == OpNotExists {
			continue
		}
		id := strings.TrimPrefix(c.ID, spanAttributePrefix)
		switch f.Kind {
		case FieldAttribute, FieldSpanAttribute, FieldResourceAttribute, FieldEvaluation:
			if !slices.Contains(known, id) {
				list = append(list, Unknown{c.ID, Closest(id, known)})
			}
		}
	}
	return list
}

// Closest returns the field that a user may have meant by a name that no span has:
// what it is short for, or the one that ends with it or differs least; "" for none.
func Closest(name string, known []string) string {
	if id := FieldOfShort(name); id != name && slices.Contains(known, id) {
		return id
	}
	best, least := "", max(1, len(name)/3)+1
	for _, k := range known {
		if strings.HasSuffix(k, "."+name) || strings.EqualFold(k, name) {
			return k
		}
		if d := distance(strings.ToLower(name), strings.ToLower(k), least); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance counts the letters that have to be changed, added or left out to make one
// text of the other, up to a bound.
func distance(a, b string, bound int) int {
	if len(a)-len(b) >= bound || len(b)-len(a) >= bound {
		return bound
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal, row[j+1] = row[j+1], min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
