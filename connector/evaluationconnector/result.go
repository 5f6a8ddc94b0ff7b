// SPDX-License-Identifier: Apache-2.0

package evaluationconnector

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// maxLabel is how many characters a label may have. A longer one is no label,
// whatever the configuration says.
const maxLabel = 128

// result is what one record tells of an evaluation.
type result struct {
	name        string
	value       float64
	hasValue    bool
	label       string
	explanation string

	failure, message string
}

// results returns a record for each output that is a measure: a number, a
// boolean or a label. Other texts are reasons, which explain measures, or
// belong to the owner of the span. An evaluation without a measure
// has one record that says it was made.
func (w *writer) results(e *eval.Evaluation) []result {
	list := make([]result, 0, len(e.Outputs))
	for _, o := range e.Outputs {
		r, ok := w.measure(e.Evaluator, o)
		if !ok {
			continue
		}
		r.name = e.Evaluator + "." + o.Name
		r.explanation = explanation(e.Outputs, o.Name)
		list = append(list, r)
	}
	if len(list) == 0 {
		return []result{{name: e.Evaluator, explanation: explanation(e.Outputs, "")}}
	}
	complete(e.Evaluator, list)
	return list
}

func (w *writer) measure(slug string, o eval.Output) (r result, ok bool) {
	switch x := o.Value.(type) {
	case bool:
		r.hasValue, r.label = true, verdict(o.Name, x)
		if x {
			r.value = 1
		}
		return r, true
	case int64:
		r.value, r.hasValue = float64(x), true
		return r, true
	case float64:
		// Evaluators give finite numbers; a damaged carrier may hold any.
		r.value, r.hasValue = x, !math.IsNaN(x) && !math.IsInf(x, 0)
		return r, r.hasValue
	case string:
		r.label = x
		short := x != "" && utf8.RuneCountInString(x) <= maxLabel
		return r, short && !isReason(o.Name) && w.isLabel(slug+"."+o.Name)
	default:
		return r, false
	}
}

// verdict is the label of a boolean: pass or fail where guards take the output
// for a verdict, for that something is so is good news of some outputs and bad
// news of others; elsewhere it is what the output says.
func verdict(name string, v bool) string {
	switch good, told := (eval.Output{Name: name, Value: v}).Passes(); {
	case !told:
		return strconv.FormatBool(v)
	case good:
		return "pass"
	default:
		return "fail"
	}
}

// complete joins an output named score with the one label of the same evaluation:
// the probability of a tone means nothing without the tone.
func complete(slug string, list []result) {
	score, judgement, judgements := -1, -1, 0
	for i := range list {
		switch {
		case list[i].name == slug+".score" && list[i].label == "":
			score = i
		case list[i].label != "":
			judgement = i
			judgements++
		}
	}
	if score < 0 || judgements != 1 {
		return
	}
	list[score].label = list[judgement].label
	if !list[judgement].hasValue {
		list[judgement].value, list[judgement].hasValue = list[score].value, true
	}
}

// isReason reports whether an output explains others, by its name.
func isReason(name string) bool {
	return name == "reason" || name == "explanation" || strings.HasSuffix(name, "_reason") || strings.HasSuffix(name, "_explanation")
}

// explanation finds the text that explains an output: <output>_reason, also
// where the output is named <…>_score, or the evaluation's only reason.
func explanation(outputs []eval.Output, of string) (found string) {
	stem := strings.TrimSuffix(of, "_score")
	for _, o := range outputs {
		text, ok := o.Value.(string)
		if !ok {
			continue
		}
		switch o.Name {
		case "reason", "explanation":
			found = text
		case of + "_reason", stem + "_reason", of + "_explanation", stem + "_explanation":
			return text
		}
	}
	return found
}
