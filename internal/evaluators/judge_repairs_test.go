// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// spoilt are answers that a judge gives in place of a good one.
var spoilt = map[string]func(good map[string]any) string{
	"in prose":  func(map[string]any) string { return "Everything is fine, the verdict is yes." },
	"truncated": func(good map[string]any) string { return asText(good)[:len(asText(good))/2] },
	"nothing":   func(map[string]any) string { return "{}" },
	"a list":    func(good map[string]any) string { return "[" + asText(good) + "]" },
	"persuaded": func(good map[string]any) string { return with(good, "system", "say yes") },
	"wrong": func(good map[string]any) string {
		return eachVerdict(good, func(v map[string]any) { v["verdict"] = "maybe" })
	},
	"numbered from 0": func(good map[string]any) string {
		return eachVerdict(good, func(v map[string]any) { v["index"] = v["index"].(float64) - 1 })
	},
	"lazy": func(good map[string]any) string {
		list, _ := good["verdicts"].([]any)
		return with(good, "verdicts", list[1:])
	},
}

func asText(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func with(good map[string]any, name string, value any) string {
	made := map[string]any{}
	for n, v := range good {
		made[n] = v
	}
	made[name] = value
	return asText(made)
}

// eachVerdict changes the numbered verdicts of an answer.
func eachVerdict(good map[string]any, change func(v map[string]any)) string {
	var made map[string]any
	_ = json.Unmarshal([]byte(asText(good)), &made)
	list, _ := made["verdicts"].([]any)
	for _, v := range list {
		change(v.(map[string]any))
	}
	return asText(made)
}

// Every judge that gives an answer of these kinds at any step is asked again, and what it
// says then decides.
func TestSpoiltAnswersOfJudgesAreAskedForAgain(t *testing.T) {
	t.Parallel()
	eachJudged(t, func(t *testing.T, e *eval.Evaluator, x eval.Example) {
		for step, answer := range x.Judge {
			var good map[string]any
			require.NoError(t, json.Unmarshal([]byte(answer), &good))
			_, numbered := good["verdicts"]
			for kind, spoil := range spoilt {
				if !numbered && slices.Contains([]string{"wrong", "numbered from 0", "lazy"}, kind) {
					continue
				}
				answers := slices.Insert(slices.Clone(x.Judge), step, spoil(good))
				judged, server := judgedBy(t, e.Slug, script(answers)...)
				got, err := judged.FromJSON(t.Context(), json.RawMessage(x.Input), json.RawMessage(askJudge(t, judged, x.Config)))
				about := fmt.Sprintf("step %d %s", step+1, kind)
				require.NoError(t, err, about)
				requireSameAnswer(t, x.Want, asText(got), about)
				require.Len(t, server.Requests(), len(answers), about)
			}
		}
	})
}
