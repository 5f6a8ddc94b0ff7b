// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
)

// Bounds of bounds. No span is kept longer than the longest deadline.
const (
	maxDeadline = maxRetentionHours * time.Hour
	maxMinSpans = 1_000_000
)

// setupBounds say what a setup may take, and when it counts as done. null is no
// bound; left out, a new setup has none and a changed one keeps what it has.
type setupBounds struct {
	MinSpans json.RawMessage `json:"min_spans"`
	MaxCost  json.RawMessage `json:"max_cost_per_day"`
	Deadline json.RawMessage `json:"deadline_sec"`
	// Others is no bound, but is given and taken away as they are.
	Others json.RawMessage `json:"other_languages"`
}

func (q *setupBounds) bound(s *monitor.Setup) error {
	if len(q.MinSpans) > 0 {
		n, err := parseBound("min_spans", "number", q.MinSpans, maxMinSpans)
		if err != nil {
			return err
		}
		s.MinSpans = n
	}
	if len(q.MaxCost) > 0 {
		s.MaxCostPerDay = 0
		if !absent(q.MaxCost) {
			cost, err := strconv.ParseFloat(string(q.MaxCost), 64)
			if err != nil || cost <= 0 || math.IsInf(cost, 0) {
				return fault.New(fault.Invalid, "max_cost_per_day must be a number of US dollars above 0")
			}
			s.MaxCostPerDay = cost
		}
	}
	if len(q.Deadline) > 0 {
		n, err := parseBound("deadline_sec", "number of seconds", q.Deadline, int64(maxDeadline/time.Second))
		if err != nil {
			return err
		}
		s.Deadline = time.Duration(n) * time.Second
	}
	if len(q.Others) > 0 {
		s.OtherLanguages = ""
		if !absent(q.Others) {
			if json.Unmarshal(q.Others, &s.OtherLanguages) != nil || s.OtherLanguages == "" {
				s.OtherLanguages = "?" // what is none of them
			}
			return s.OtherLanguages.Validate("other_languages")
		}
	}
	return nil
}

// parseBound takes a whole number from 1 to most; 24.0 is one too. null is 0.
func parseBound(path, what string, raw json.RawMessage, most int64) (int64, error) {
	if absent(raw) {
		return 0, nil
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || n != math.Trunc(n) || n < 1 || n > float64(most) {
		return 0, fault.New(fault.Invalid, "%s must be a whole %s from 1 to %d", path, what, most)
	}
	return int64(n), nil
}
