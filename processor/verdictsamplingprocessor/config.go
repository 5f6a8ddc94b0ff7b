// SPDX-License-Identifier: Apache-2.0

package verdictsamplingprocessor

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"go.opentelemetry.io/collector/component"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Config is what config.yaml says of the processor.
type Config struct {
	// DecisionWait is how long after its first span a trace is decided. Default: 5s.
	DecisionWait time.Duration `mapstructure:"decision_wait"`

	// Answer says when a caller that hands spans on is answered: decided, when the spans of the
	// request that are kept are with the next component, or held, at once. Default:
	// decided.
	Answer Answer `mapstructure:"answer"`

	// Policies say which share of traces is kept by what verdicts of their spans say.
	Policies []Policy `mapstructure:"policies"`

	// Otherwise is the share, above 0 and at most 1, that spans have which no policy
	// matches. Default: 1.
	Otherwise float64 `mapstructure:"otherwise"`

	// EnvironmentAttribute is the resource attribute that tells whose spans these are:
	// traces of two environments are never one. Default: touchstone.environment.id.
	EnvironmentAttribute string `mapstructure:"environment_attribute"`

	// MaxTraces is how many traces may be undecided. Default: 50000.
	MaxTraces int `mapstructure:"max_traces"`

	// MaxMiB is how large the requests that wait may be, in MiB. Default: 64.
	MaxMiB int `mapstructure:"max_mib"`

	// RememberedTraces is how many decisions are remembered, for spans that come late.
	// Default: 100000.
	RememberedTraces int `mapstructure:"remembered_traces"`

	_ struct{}
}

// Answer says when a caller that hands spans on is answered.
type Answer string

const (
	answerDecided Answer = "decided"
	answerHeld    Answer = "held"
)

// Policy gives spans a share by an evaluation that they have.
type Policy struct {
	// Name is how metrics call the policy.
	Name string `mapstructure:"name"`
	// Share is the share of traces that is kept, above 0 and at most 1.
	Share float64 `mapstructure:"share"`
	// Verdicts are what an evaluation may say. Default: anything.
	Verdicts []Verdict `mapstructure:"verdicts"`
	// Setups are the ids of the setups that the evaluation may be of. Default: any.
	Setups []string `mapstructure:"setups"`
	// Evaluators are the slugs of those that the evaluation may be by. Default: any.
	Evaluators []string `mapstructure:"evaluators"`
	// Output is the name of an output that the evaluation has. Default: none is asked for.
	Output string `mapstructure:"output"`
	// Values are those that the output may have, as text. Default: any.
	Values []string `mapstructure:"values"`
	// AtLeast is the least number that the output may be. Default: none.
	AtLeast *float64 `mapstructure:"at_least"`
	// AtMost is the greatest number that the output may be. Default: none.
	AtMost *float64 `mapstructure:"at_most"`

	_ struct{}
}

// Verdict is what an evaluation says.
type Verdict string

const (
	verdictPass    Verdict = "pass"    // it speaks for the span
	verdictFail    Verdict = "fail"    // it speaks against the span
	verdictScored  Verdict = "scored"  // it is done and speaks neither for the span nor against it
	verdictFailed  Verdict = "failed"  // the evaluation could not be made
	verdictSkipped Verdict = "skipped" // it will not be made
	verdictOwed    Verdict = "owed"    // it is made later
	verdictNone    Verdict = "none"    // the span has no evaluation of these setups and evaluators

	verdictUncertain Verdict = "uncertain" // the evaluator cannot know
)

var verdicts = []Verdict{verdictPass, verdictFail, verdictScored, verdictUncertain, verdictFailed, verdictSkipped, verdictOwed, verdictNone}

// otherwise is how metrics call what no policy matches.
const otherwise = "otherwise"

// Bounds of the configuration.
const (
	maxPolicies     = 64
	maxDecisionWait = 10 * time.Minute
	maxTracesBound  = 10_000_000
	maxMiBBound     = 1 << 16
)

func createDefaultConfig() component.Config {
	return &Config{
		DecisionWait: 5 * time.Second, Answer: answerDecided, Otherwise: 1, EnvironmentAttribute: tenant.AttributeEnvironmentID,
		MaxTraces: 50_000, MaxMiB: 64, RememberedTraces: 100_000,
	}
}

// Validate names everything that is wrong.
func (c *Config) Validate() error {
	var errs problems
	errs.require(c.DecisionWait > 0 && c.DecisionWait <= maxDecisionWait, `"decision_wait" must be above 0s and at most 10m`)
	errs.require(c.Answer == answerDecided || c.Answer == answerHeld, `"answer" must be decided or held`)
	errs.require(len(c.Policies) > 0 && len(c.Policies) <= maxPolicies, `"policies" must be 1 to 64`)
	errs.require(isShare(c.Otherwise), `"otherwise" must be above 0 and at most 1: of what is never kept nothing can be said`)
	errs.require(c.EnvironmentAttribute != "", `"environment_attribute" must not be empty`)
	errs.require(c.MaxTraces > 0 && c.MaxTraces <= maxTracesBound, `"max_traces" must be from 1 to 10000000`)
	errs.require(c.MaxMiB > 0 && c.MaxMiB <= maxMiBBound, `"max_mib" must be from 1 to 65536`)
	errs.require(c.RememberedTraces > 0 && c.RememberedTraces <= maxTracesBound, `"remembered_traces" must be from 1 to 10000000`)
	names := map[string]bool{otherwise: true}
	for i := range c.Policies {
		p := &c.Policies[i]
		at := fmt.Sprintf("policies[%d]::", i)
		errs.require(p.Name != "" && !names[p.Name], `"%sname" must be there, must not be %q and must not be that of another policy`, at, otherwise)
		names[p.Name] = true
		p.validate(&errs, at)
	}
	return errors.Join(errs...)
}

// validate adds what is wrong with a policy to errs; at is how the names of its settings
// begin.
func (p *Policy) validate(errs *problems, at string) {
	errs.require(isShare(p.Share), `"%sshare" must be above 0 and at most 1`, at)
	for i, v := range p.Verdicts {
		errs.require(slices.Contains(verdicts, v), `"%sverdicts[%d]" must be one of %v`, at, i, verdicts)
	}
	errs.require(!slices.Contains(p.Setups, ""), `"%ssetups" must not hold an empty id`, at)
	errs.require(!slices.Contains(p.Evaluators, ""), `"%sevaluators" must not hold an empty slug`, at)
	asks := p.Output != "" || len(p.Values) > 0 || p.AtLeast != nil || p.AtMost != nil
	errs.require(p.Output != "" || !asks, `"%soutput" must name the output that "values", "at_least" and "at_most" are of`, at)
	errs.require(len(p.Values) == 0 || p.AtLeast == nil && p.AtMost == nil, `"%svalues" goes without "at_least" and "at_most"`, at)
	for _, name := range []struct {
		setting string
		number  *float64
	}{{"at_least", p.AtLeast}, {"at_most", p.AtMost}} {
		errs.require(name.number == nil || !math.IsNaN(*name.number), `"%s%s" must be a number`, at, name.setting)
	}
	errs.require(p.AtLeast == nil || p.AtMost == nil || *p.AtLeast <= *p.AtMost, `"%sat_most" must not be less than "at_least"`, at)
	for _, v := range []Verdict{verdictFailed, verdictSkipped, verdictOwed, verdictNone} {
		errs.require(!asks || !slices.Contains(p.Verdicts, v), `"%sverdicts" must not hold %s when "output" is set: it has no output`, at, v)
	}
}

// minShare is the least probability that a threshold of 56 bits can tell.
const minShare = 1.0 / (1 << 56)

func isShare(share float64) bool { return share >= minShare && share <= 1 }

// problems are what is wrong with a configuration.
type problems []error

func (p *problems) require(fine bool, format string, args ...any) {
	if !fine {
		*p = append(*p, fmt.Errorf(format, args...))
	}
}
