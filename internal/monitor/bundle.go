// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// BundleVersion is the version of bundles that this release writes and reads.
const BundleVersion = 1

// MaxBundle is how many bytes of a bundle are read, far more than all setups of an
// environment come to.
const MaxBundle = maxCarriedSetups

// Bundle is what a sidecar works with: the setups of one environment, each with those
// of its evaluators that judge in place. How far they got is no part of it.
type Bundle struct {
	Version     int                  `json:"version"`
	Environment tenant.EnvironmentID `json:"environment_id"`
	// MadeAt is when the setups were first seen as they are.
	MadeAt time.Time `json:"made_at"`
	Setups []Setup   `json:"setups"`
	// HashKey is the key that texts of the environment are hashed with, where one of the
	// setups asks for it.
	HashKey []byte `json:"hash_key,omitempty"`
}

// Portable returns setups as their users made them: without how far they got, what is
// bounded where models are asked, and those that are paused.
func Portable(setups []Setup) []Setup {
	portable := make([]Setup, 0, len(setups))
	for i := range setups {
		s := &setups[i]
		if s.Paused {
			continue
		}
		w := Setup{
			ID: s.ID, ExternalID: s.ExternalID, EnvironmentID: s.EnvironmentID, Selector: s.Selector,
			Evaluators: make([]SetupEvaluator, len(s.Evaluators)), OtherLanguages: s.OtherLanguages,
			OnVerdict: s.OnVerdict, Generation: s.Generation, CreatedAt: s.CreatedAt,
		}
		for j := range s.Evaluators {
			e := &s.Evaluators[j]
			w.Evaluators[j] = SetupEvaluator{
				Slug: e.Slug, CustomID: e.CustomID, Config: e.Config, Backend: e.Backend, SampleRate: e.SampleRate, Inputs: e.Inputs,
			}
		}
		portable = append(portable, w)
	}
	return portable
}

// Local returns setups with those of their evaluators that judge in place, found as
// Compile does; one that has none is left out.
func Local(setups []Setup, find func(w *SetupEvaluator) (*eval.Evaluator, error)) []Setup {
	local := make([]Setup, 0, len(setups))
	for i := range setups {
		s := setups[i]
		s.Evaluators = nil
		for j, r := range Compile(&setups[i], find).Bindings {
			if r.InPlace() {
				s.Evaluators = append(s.Evaluators, setups[i].Evaluators[j])
			}
		}
		if s.Evaluators != nil {
			local = append(local, s)
		}
	}
	return local
}

// InPlace reports whether the binding judges in place, once what it needs is loaded.
func (r *Binding) InPlace() bool {
	return r.Evaluator != nil && !r.Plan.Deferred && (r.Err == nil || errors.Is(r.Err, ErrLoading))
}

// UnpackBundle reads a bundle. The error is a fault of kind Invalid: it is of
// another version or damaged.
func UnpackBundle(packed []byte) (Bundle, error) {
	var b Bundle
	if len(packed) > MaxBundle || json.Unmarshal(packed, &b) != nil {
		return Bundle{}, fault.New(fault.Invalid, "the bundle of setups is damaged")
	}
	if b.Version != BundleVersion {
		return Bundle{}, fault.New(fault.Invalid, "the bundle of setups has version %d, and this release reads version %d", b.Version, BundleVersion)
	}
	if b.Environment == "" {
		return Bundle{}, fault.New(fault.Invalid, "the bundle of setups names no environment")
	}
	for i := range b.Setups {
		s := &b.Setups[i]
		if s.ID == "" || s.EnvironmentID != b.Environment || s.Generation < 1 || s.Selector.Validate("selector") != nil {
			return Bundle{}, fault.New(fault.Invalid, "the bundle of setups is damaged")
		}
	}
	return b, nil
}
