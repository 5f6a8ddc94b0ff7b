// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Refused says why evaluations of a sidecar are not taken, "" where they are. What is
// not taken is made by the gateway.
type Refused string

// The reasons, those of whole carriers first.
const (
	RefusedSize       Refused = "size"       // the carrier is longer than MaxSidecarCarrier
	RefusedVersion    Refused = "version"    // it is of a version that is not known
	RefusedDamaged    Refused = "damaged"    // it is not whole
	RefusedCount      Refused = "count"      // it has more than MaxEvaluations
	RefusedSetup      Refused = "setup"      // the environment has no such setup
	RefusedGeneration Refused = "generation" // the setup is another by now
	RefusedEvaluator  Refused = "evaluator"  // the setup has no such evaluator
	RefusedUnmatched  Refused = "unmatched"  // the setup does not ask for it of this span, or it is there twice
	RefusedStatus     Refused = "status"     // it is not done, skipped or failed for a reason that a sidecar finds
	RefusedBackend    Refused = "backend"    // a model is to judge, or is said to have
	RefusedCost       Refused = "cost"       // it says what only a model brings
	RefusedTime       Refused = "time"       // it was made before the span began, or is of the future
	RefusedOutputs    Refused = "outputs"    // they are not those of the evaluator
)

// AllRefused are the reasons.
var AllRefused = []Refused{
	RefusedSize, RefusedVersion, RefusedDamaged, RefusedCount, RefusedSetup, RefusedGeneration, RefusedEvaluator,
	RefusedUnmatched, RefusedStatus, RefusedBackend, RefusedCost, RefusedTime, RefusedOutputs,
}

const (
	// MaxSidecarCarrier is how many bytes the evaluations of one span may have that
	// come from a sidecar.
	MaxSidecarCarrier = 256 << 10
	// maxSidecarReason is how long the reason of a failure or verdict may be, in bytes.
	maxSidecarReason = 512
	// maxSidecarEvidence is how many pieces of evidence there may be.
	maxSidecarEvidence = 1000
	// maxAhead is how far the clock of a sidecar may be ahead.
	maxAhead = 5 * time.Minute
	// maxDuration is how long an evaluation in place may have taken.
	maxDuration = time.Hour
)

// FromSidecar takes what a sidecar made of a span off its attributes. Nothing of it
// counts yet: Accepts looks at each.
func FromSidecar(attributes pcommon.Map) ([]eval.Evaluation, Refused) {
	v, ok := attributes.Get(tenant.AttributeSidecar)
	if !ok || v.Type() != pcommon.ValueTypeBytes {
		return nil, ""
	}
	if v.Bytes().Len() > MaxSidecarCarrier {
		attributes.Remove(tenant.AttributeSidecar)
		return nil, RefusedSize
	}
	text := string(v.Bytes().AsRaw())
	attributes.Remove(tenant.AttributeSidecar)
	packed, known := opened(text)
	if !known {
		return nil, RefusedVersion
	}
	evaluations, whole := unpack(packed)
	switch {
	case !whole:
		return nil, RefusedDamaged
	case len(evaluations) > MaxEvaluations:
		return nil, RefusedCount
	}
	return evaluations, ""
}

// Accepts says whether an evaluation that a sidecar made of a span which began at
// start may take the place of judging it here. The setup and the evaluator are those of
// the binding, and generation is the setup's.
func (r *Binding) Accepts(e *eval.Evaluation, generation int64, start, now time.Time) Refused {
	switch {
	case e.Generation != generation:
		return RefusedGeneration
	case !r.InPlace():
		return RefusedBackend
	case e.Source != eval.FromTouchstone || e.Attempts != 0 || e.Due != 0 || e.Version != "" || e.Revision != 0:
		return RefusedStatus
	case e.Model != "" || e.Cached || e.Usage != (eval.Usage{}):
		return RefusedCost
	case e.Time < start.UnixNano() || e.Time > now.Add(maxAhead).UnixNano() || e.Duration < 0 || e.Duration > int64(maxDuration):
		return RefusedTime
	}
	return r.acceptsResult(e)
}

func (r *Binding) acceptsResult(e *eval.Evaluation) Refused {
	switch e.Status {
	case eval.Done, eval.Uncertain:
		said := eval.Result{Judged: eval.Judged{Grounds: e.Grounds, Uncertain: e.Status == eval.Uncertain}}
		if e.Reason != "" {
			said.Reason = e.Reason
		}
		if e.Reason != "" && (e.Status == eval.Done || e.Reason != eval.ReasonLanguage) || r.AsksJudge(&said) {
			return RefusedStatus
		}
		if !utf8.ValidString(said.Reason) || len(said.Reason) > maxSidecarReason || len(e.Grounds.Evidence) > maxSidecarEvidence {
			return RefusedOutputs
		}
		if e.Backend != eval.Deterministic && e.Backend != eval.Embedded {
			return RefusedBackend
		}
		return r.acceptsOutputs(e.Outputs)
	case eval.Skipped:
		if e.Reason != eval.ReasonMissingInput {
			return RefusedStatus
		}
	case eval.Failed:
		if e.Reason == "" || len(e.Reason) > maxSidecarReason || !utf8.ValidString(e.Reason) {
			return RefusedStatus
		}
	default:
		return RefusedStatus
	}
	if e.Backend != "" || len(e.Outputs) > 0 {
		return RefusedOutputs
	}
	return ""
}

// acceptsOutputs holds outputs against the schema of the evaluator.
func (r *Binding) acceptsOutputs(outputs []eval.Output) Refused {
	if len(outputs) == 0 || len(outputs) > len(r.Evaluator.Output) {
		return RefusedOutputs
	}
	for i, o := range outputs {
		at := slices.IndexFunc(r.Evaluator.Output, func(f eval.Field) bool { return f.Name == o.Name })
		twice := slices.ContainsFunc(outputs[:i], func(other eval.Output) bool { return other.Name == o.Name })
		if at < 0 || twice || !fits(&r.Evaluator.Output[at], o.Value) {
			return RefusedOutputs
		}
	}
	return ""
}

// fits reports whether a value is one of an output's.
func fits(f *eval.Field, value any) bool {
	within := func(x float64) bool {
		return !math.IsNaN(x) && !math.IsInf(x, 0) && (f.Min == nil || x >= *f.Min) && (f.Max == nil || x <= *f.Max)
	}
	switch v := value.(type) {
	case string:
		return f.Type == eval.String && utf8.ValidString(v) && (f.Values == nil || slices.Contains(f.Values, v))
	case float64:
		return f.Type == eval.Float && within(v)
	case int64:
		return f.Type == eval.Integer && within(float64(v))
	case bool:
		return f.Type == eval.Boolean
	}
	return false
}
