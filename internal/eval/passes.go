// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"slices"
	"strings"
)

// Side says which outputs speak for the text that was judged or against it: those of some
// names, and by which text of their value they speak for it, against it by any other.
type Side struct {
	Names []string
	// Prefix, if it is not "", is what other names begin with that are meant, too.
	Prefix string
	// Any says that outputs of every type are meant, else only booleans.
	Any bool
	// Good is the text of the value that speaks for what was judged.
	Good string
}

// Sides are all outputs that speak for what was judged or against it, no name twice.
// What Passes says of one output stores say of many by them.
func Sides() []Side {
	return []Side{
		{Names: []string{"pass", "success", "correct_args", "is_safe", "is_relevant", "is_faithful", "is_valid"}, Prefix: "is_valid_", Good: "true"},
		{Names: []string{"has_pii", "has_secret", "has_injection"}, Good: "false"},
		{Names: []string{"tool_selection"}, Any: true, Good: "correct"},
	}
}

var sides = Sides()

// Passes returns whether an output speaks for the text that was judged or against
// it. known is false for an output that is no verdict of that kind, such as a
// count.
func (o Output) Passes() (passes, known bool) {
	_, boolean := o.Value.(bool)
	for i := range sides {
		s := &sides[i]
		if (boolean || s.Any) && (slices.Contains(s.Names, o.Name) || s.Prefix != "" && strings.HasPrefix(o.Name, s.Prefix)) {
			return o.Text() == s.Good, true
		}
	}
	return false, false
}

// Good returns the value by which an output speaks for what was judged, nil where
// none does.
func (f *Field) Good() any {
	for _, value := range [...]any{true, false, "correct"} {
		if _, text := value.(string); text != (f.Type == String) || !text && f.Type != Boolean {
			continue
		}
		if passes, known := (Output{Name: f.Name, Value: value}).Passes(); known && passes {
			return value
		}
	}
	return nil
}

// Good returns whether the verdict speaks for what was judged: false where one
// output speaks against it. It is nil where none says, and where the evaluation
// is not done.
func (e *Evaluation) Good() *bool {
	var good *bool
	for _, o := range e.Outputs {
		passes, known := o.Passes()
		if known && e.Status == Done && (good == nil || !passes) {
			good = &passes
		}
	}
	return good
}

// Says reports whether another evaluation of the same evaluator says the same.
func (e *Evaluation) Says(other *Evaluation) bool {
	if e.Status != other.Status || e.Why() != other.Why() || e.Version != other.Version || e.Model != other.Model || len(e.Outputs) != len(other.Outputs) {
		return false
	}
	for i := range e.Outputs {
		if e.Outputs[i] != other.Outputs[i] {
			return false
		}
	}
	return true
}
