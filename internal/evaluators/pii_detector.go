// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/pii"
)

type piiDetectorInput struct {
	Text string `json:"text" doc:"The text that is searched." need:"required" span:"output"`
}

type piiDetectorConfig struct {
	Threshold float64                 `json:"probability_threshold" doc:"The score from which something counts as personal." min:"0" max:"1"`
	Entities  eval.Encoded[piiEntity] `json:"entities" doc:"The kinds to look for, a JSON array; all when left out."`
}

type piiDetectorOutput struct {
	Found  bool   `json:"has_pii" doc:"Whether personal information was found."`
	Reason string `json:"reason" doc:"The kinds that were found."`
}

var _ = define(eval.Definition[piiDetectorInput, piiDetectorConfig, piiDetectorOutput]{
	Slug: "pii-detector",
	Doc: "Finds personal information that has a form: " + strings.Join(pii.Kinds(), ", ") + ". " +
		"What has a checksum or a valid domain scores 1. What only has a form scores less, and 0.35 more when a word that tells what it is, " +
		"such as \"phone\", is among the five words before it or the two after. A phone number scores 0.75 when it is valid in its country and " +
		"0.5 when it may be one. Names and addresses in running text are not found.",
	Defaults: piiDetectorConfig{Threshold: 0.8},
	Run: func(_ context.Context, in piiDetectorInput, cfg piiDetectorConfig) (piiDetectorOutput, error) {
		found := pii.Found(in.Text, cfg.Threshold, cfg.Entities.Value)
		if len(found) == 0 {
			return piiDetectorOutput{Reason: "Nothing was found. Names and addresses in running text are not looked for."}, nil
		}
		return piiDetectorOutput{Found: true, Reason: "Found " + strings.Join(found, ", ") + "."}, nil
	},
	Examples: []eval.Example{
		{About: "an email address", Input: `{"text": "Contact john.smith@company.com for help."}`, Want: `{"has_pii": true, "reason": "Found EMAIL_ADDRESS."}`},
		{About: "nothing personal", Input: `{"text": "Welcome to our service! We hope you enjoy your experience."}`, Want: `{"has_pii": false, "reason": "Nothing was found. Names and addresses in running text are not looked for."}`},
		{About: "a number that the words before it explain", Input: `{"text": "Call me on my mobile: (415) 555-0132."}`, Want: `{"has_pii": true, "reason": "Found PHONE_NUMBER."}`},
		{About: "a number that nothing explains", Input: `{"text": "The code is 078-05-1123."}`, Want: `{"has_pii": false, "reason": "Nothing was found. Names and addresses in running text are not looked for."}`},
		{About: "a lower threshold", Input: `{"text": "The code is 078-05-1123."}`, Config: `{"probability_threshold": 0.5, "entities": ["US_SSN"]}`, Want: `{"has_pii": true, "reason": "Found US_SSN."}`},
	},
})

// piiEntity is a set of kinds of personal information; nil is all of them.
type piiEntity map[string]bool

// UnmarshalText reads a JSON array of kinds.
func (e *piiEntity) UnmarshalText(text []byte) error {
	var names []string
	if err := json.Unmarshal(text, &names); err != nil {
		return errors.New("must be a JSON array of strings")
	}
	known := pii.Kinds()
	*e = make(piiEntity)
	for i, name := range names {
		if !containsFold(known, name) {
			return fmt.Errorf("has an unknown kind in element %d", i+1)
		}
		(*e)[strings.ToUpper(name)] = true
	}
	return nil
}

func containsFold(list []string, text string) bool {
	for _, s := range list {
		if strings.EqualFold(s, text) {
			return true
		}
	}
	return false
}
