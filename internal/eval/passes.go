// SPDX-License-Identifier: Apache-2.0

package eval

import "strings"

// Passes returns whether an output speaks for the text that was judged or against
// it. known is false for an output that is no verdict of that kind, such as a
// count.
func (o Output) Passes() (passes, known bool) {
	if o.Name == "tool_selection" {
		return o.Value == "correct", true
	}
	value, ok := o.Value.(bool)
	switch {
	case !ok:
		return false, false
	case o.Name == "pass", o.Name == "success", o.Name == "correct_args", o.Name == "is_safe", o.Name == "is_relevant", o.Name == "is_faithful",
		o.Name == "is_valid", strings.HasPrefix(o.Name, "is_valid_"):
		return value, true
	case o.Name == "has_pii", o.Name == "has_secret", o.Name == "has_injection":
		return !value, true
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
	if e.Status != other.Status || e.Reason != other.Reason || e.Version != other.Version || e.Model != other.Model || len(e.Outputs) != len(other.Outputs) {
		return false
	}
	for i := range e.Outputs {
		if e.Outputs[i] != other.Outputs[i] {
			return false
		}
	}
	return true
}
