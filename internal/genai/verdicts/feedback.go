// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/opinion"
	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
)

// The families of OpenInference's feedback: of the span itself, and of one that an
// evaluator's span links to.
const (
	annotations = "annotations"
	evaluations = "evaluations"
)

// feedback is one object of a family, whose fields are attributes of their own:
// [trace.|session.]<family>.<index>.<family without s>.<field>.
type feedback struct {
	target, family string
	index          int
}

// maxFeedback bounds the objects that are looked at: one more than are taken.
const maxFeedback = opinion.Most + 1

// feedbackOf returns the objects of the families that are wanted, by target,
// family and index.
func feedbackOf(attributes pcommon.Map, wanted func(family string) bool) []opinion.Opinion {
	var keys []feedback
	var found map[feedback]*opinionFields
	for key, v := range attributes.All() {
		if !mayBeFeedback(key) {
			continue
		}
		f, field, ok := parseFeedback(key)
		if !ok || !wanted(f.family) {
			continue
		}
		if found == nil {
			found = map[feedback]*opinionFields{}
		}
		if found[f] == nil {
			if len(keys) == maxFeedback {
				continue
			}
			keys, found[f] = append(keys, f), &opinionFields{}
		}
		found[f].set(field, v)
	}
	slices.SortFunc(keys, func(a, b feedback) int {
		if c := strings.Compare(a.target+a.family, b.target+b.family); c != 0 {
			return c
		}
		return a.index - b.index
	})
	list := make([]opinion.Opinion, len(keys))
	for i, f := range keys {
		list[i] = found[f].opinion(f.target)
	}
	return list
}

// mayBeFeedback reports whether a key begins as one of feedback does. Nearly all
// do not, and each span that comes is asked.
func mayBeFeedback(key string) bool {
	if len(key) < len("annotations.") {
		return false
	}
	switch key[0] {
	case 'a':
		return strings.HasPrefix(key, annotations)
	case 'e':
		return strings.HasPrefix(key, evaluations)
	case 't':
		return strings.HasPrefix(key, "trace.")
	case 's':
		return strings.HasPrefix(key, "session.")
	}
	return false
}

// parseFeedback returns what a key is of.
func parseFeedback(key string) (f feedback, field string, ok bool) {
	for _, target := range [...]string{"trace", "session"} {
		if rest, cut := strings.CutPrefix(key, target+"."); cut {
			f.target, key = target, rest
			break
		}
	}
	family, rest, _ := strings.Cut(key, ".")
	if family != annotations && family != evaluations {
		return f, "", false
	}
	number, rest, _ := strings.Cut(rest, ".")
	index, err := strconv.ParseUint(number, 10, 31)
	if err != nil {
		return f, "", false
	}
	f.family, f.index = family, int(index)
	field, ok = strings.CutPrefix(rest, strings.TrimSuffix(family, "s")+".")
	return f, field, ok && field != ""
}

// opinionFields are the fields of one object.
type opinionFields struct {
	name, by                                  string
	score, label, explanation, kind, metadata eval.Output
}

func (x *opinionFields) set(field string, v pcommon.Value) {
	switch field {
	case "name":
		x.name = valuetext.NameOf(v)
	case "identifier":
		x.by = valuetext.NameOf(v)
	case "score":
		x.score = scoreOf(v)
	case "label":
		x.label.Value = valuetext.NameOf(v)
	case "explanation":
		x.explanation.Value = valuetext.NameOf(v)
	case "annotator_kind":
		x.kind.Value = judgeKind(valuetext.NameOf(v))
	case "metadata":
		x.metadata.Value = valuetext.NameOf(v)
	}
}

func (x *opinionFields) opinion(target string) opinion.Opinion {
	o := opinion.Opinion{Source: eval.FromSDK, Of: target, Name: x.name, By: x.by}
	if x.score.Value != nil || x.label.Value != nil || x.explanation.Value != nil {
		o.Outputs = outputsOf(x.score, x.label, x.explanation, x.kind, x.metadata)
	}
	return o
}
