// SPDX-License-Identifier: Apache-2.0

package verdictsamplingprocessor

import (
	"slices"
	"strings"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/sampling"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// share is how likely a span is to be kept, and which policy says so.
type share struct {
	threshold sampling.Threshold
	policy    string
}

// widens reports whether more is kept with a share than with another one.
func (s *share) widens(other *share) bool {
	return sampling.ThresholdLessThan(s.threshold, other.threshold)
}

// policies tell the shares of spans.
type policies struct {
	list   []Policy
	shares []share // of list, and of what none of them matches
}

// thresholdDigits is how many hexadecimal digits thresholds have besides those that are f:
// shares are met within a part in 50,000, and what is written on spans stays short.
const thresholdDigits = 5

func newPolicies(cfg *Config) (*policies, error) {
	p := &policies{list: cfg.Policies}
	for _, named := range append(slices.Clone(cfg.Policies), Policy{Name: otherwise, Share: cfg.Otherwise}) {
		threshold, err := sampling.ProbabilityToThresholdWithPrecision(named.Share, thresholdDigits)
		if err != nil {
			return nil, err
		}
		p.shares = append(p.shares, share{threshold, named.Name})
	}
	return p, nil
}

// of returns the share of a span: the largest of those policies that match it.
func (p *policies) of(attributes pcommon.Map) *share {
	evaluations := evaluationsOf(attributes)
	var best *share
	for i := range p.list {
		if s := &p.shares[i]; (best == nil || s.widens(best)) && p.list[i].matches(evaluations) {
			best = s
		}
	}
	if best == nil {
		return &p.shares[len(p.list)]
	}
	return best
}

// evaluationsOf returns the evaluations of a span. Where they are no longer there whole,
// as behind the evaluation connector, the outputs of those that are done are.
func evaluationsOf(attributes pcommon.Map) []eval.Evaluation {
	if carried := monitor.Carried(attributes); len(carried) > 0 {
		return carried
	}
	var list []eval.Evaluation
	for key, value := range attributes.All() {
		name, found := strings.CutPrefix(key, tenant.EvaluationPrefix)
		dot := strings.LastIndexByte(name, '.')
		if !found || dot < 0 {
			continue
		}
		slug := name[:dot]
		at := slices.IndexFunc(list, func(e eval.Evaluation) bool { return e.Evaluator == slug })
		if at < 0 {
			at = len(list)
			list = append(list, eval.Evaluation{Evaluator: slug, Status: eval.Done})
		}
		list[at].Outputs = append(list[at].Outputs, eval.Output{Name: name[dot+1:], Value: value.AsRaw()})
	}
	return list
}

// matches reports whether a span with these evaluations is the policy's.
func (p *Policy) matches(evaluations []eval.Evaluation) bool {
	none := true
	for i := range evaluations {
		e := &evaluations[i]
		if len(p.Setups) > 0 && !slices.Contains(p.Setups, e.SetupID) || len(p.Evaluators) > 0 && !slices.Contains(p.Evaluators, e.Evaluator) {
			continue
		}
		none = false
		if (len(p.Verdicts) == 0 || slices.Contains(p.Verdicts, verdictOf(e))) && p.holds(e) {
			return true
		}
	}
	return none && slices.Contains(p.Verdicts, verdictNone)
}

// holds reports whether an evaluation has the output that the policy asks for, if it asks
// for one.
func (p *Policy) holds(e *eval.Evaluation) bool {
	if p.Output == "" {
		return true
	}
	if e.Status != eval.Done {
		return false
	}
	at := slices.IndexFunc(e.Outputs, func(o eval.Output) bool { return o.Name == p.Output })
	if at < 0 {
		return false
	}
	output := e.Outputs[at]
	if len(p.Values) > 0 {
		return slices.Contains(p.Values, output.Text())
	}
	if p.AtLeast == nil && p.AtMost == nil {
		return true
	}
	var number float64
	switch value := output.Value.(type) {
	case float64:
		number = value
	case int64:
		number = float64(value)
	default:
		return false
	}
	return (p.AtLeast == nil || number >= *p.AtLeast) && (p.AtMost == nil || number <= *p.AtMost)
}

// verdictOf returns what an evaluation says.
func verdictOf(e *eval.Evaluation) Verdict {
	switch e.Status {
	case eval.Failed:
		return verdictFailed
	case eval.Skipped:
		return verdictSkipped
	case eval.Deferred:
		return verdictOwed
	case eval.Uncertain:
		return verdictUncertain
	case eval.Done:
	}
	switch good := e.Good(); {
	case good == nil:
		return verdictScored
	case *good:
		return verdictPass
	}
	return verdictFail
}
