// SPDX-License-Identifier: Apache-2.0

package pools

import (
	"math"
	"math/rand/v2"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// What random evaluations are of.
var (
	Setups       = []string{"set_1", "set_2", "'s"}
	Evaluators   = []string{"e1", "e2"}
	Outputs      = []string{"o1", "o2", "'o %\"\\"}
	sided        = []string{"is_valid", "is_valid_x", "is_validated", "has_pii", "tool_selection"}
	poolStatuses = []eval.Status{eval.Done, eval.Done, eval.Done, eval.Failed, eval.Skipped, eval.Deferred}
	poolBackends = []eval.Backend{eval.Deterministic, eval.Judge, eval.Embedded}
	poolSources  = []eval.EvaluationSource{"", eval.FromTouchstone, eval.FromSidecar, eval.FromSDK, eval.FromHuman}
)

// RandomEvaluations returns evaluations of every status, by several setups with
// the same evaluators, no two of one span at the same time.
func RandomEvaluations(r *rand.Rand) []eval.Evaluation {
	var list []eval.Evaluation
	for _, setup := range Setups {
		for _, slug := range Evaluators {
			if r.IntN(4) == 0 {
				list = append(list, eval.Evaluation{SetupID: setup, Evaluator: slug})
			}
		}
	}
	for i, at := range r.Perm(len(list)) {
		e := &list[i]
		e.Time = storetest.Epoch.UnixNano() + int64(at)
		e.Usage.Cost = float64(r.IntN(4)) / 4
		e.Probability = 1 - e.Usage.Cost
		switch e.Status = poolStatuses[r.IntN(len(poolStatuses))]; e.Status {
		case eval.Done:
			e.Backend = poolBackends[r.IntN(len(poolBackends))]
			e.Source = poolSources[r.IntN(len(poolSources))]
			for _, name := range Outputs[r.IntN(len(Outputs)):] {
				e.Outputs = append(e.Outputs, eval.Output{Name: name, Value: randomOutput(r)})
			}
			for _, i := range r.Perm(len(sided))[:r.IntN(3)] {
				e.Outputs = append(e.Outputs, randomSide(r, sided[i]))
			}
		case eval.Skipped:
			e.Reason = []string{eval.ReasonMissingInput, eval.ReasonSampledOut}[r.IntN(2)]
		case eval.Deferred:
			e.Reason, e.Due = Pick(r, []string{eval.ReasonModel, "it's \"down\" %"}), e.Time+1
		default:
			e.Reason = Pick(r, []string{"it broke", `it\'s broken`})
		}
	}
	return list
}

// randomSide returns an output that most often speaks for its span or against it.
func randomSide(r *rand.Rand, name string) eval.Output {
	o := eval.Output{Name: name, Value: r.IntN(2) == 0}
	switch r.IntN(6) {
	case 0:
		o.Value = Pick(r, []string{"correct", "incorrect", "true"})
	case 1:
		o.Value = randomOutput(r)
	}
	return o
}

func randomOutput(r *rand.Rand) any {
	switch r.IntN(4) {
	case 0:
		return r.IntN(2) == 0
	case 1:
		return []int64{0, 1, -1, 10, 1 << 53, 1<<53 + 1, math.MaxInt64, math.MinInt64}[r.IntN(8)]
	case 2:
		return []float64{0, math.Copysign(0, -1), 1, 1.5, -1.5, 0.1, 1e300, 5e-324, 1e21, math.NaN(), math.Inf(1), math.Inf(-1)}[r.IntN(12)]
	}
	return Pick(r, append([]string{"true", "false", "True", "1e-400", "1e999", "-0", "1_0", "inf", "9007199254740993", "."}, Texts...))
}
