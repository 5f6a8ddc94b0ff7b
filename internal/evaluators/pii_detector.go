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
	Threshold float64                  `json:"probability_threshold" doc:"The score from which something counts as personal." min:"0" max:"1"`
	Entities  eval.JSONText[piiEntity] `json:"entities" doc:"The kinds to look for, a JSON array; all when left out."`
}

type piiDetectorOutput struct {
	Found  bool   `json:"has_pii" doc:"Whether personal information was found."`
	Reason string `json:"reason" doc:"The kinds that were found."`
	eval.Judged
}

var _ = define(eval.Definition[piiDetectorInput, piiDetectorConfig, piiDetectorOutput]{
	Slug: "pii-detector",
	Doc: "Finds personal information: " + strings.Join(pii.Kinds(), ", ") + ". " +
		"Disguises are seen through: characters without width, other spaces and hyphens, full-width letters, look-alikes, HTML entities, JSON escapes, " +
		"URL encoding, base64. What has a checksum or a valid domain scores 1. What only has a form scores less, and 0.35 more when a word that tells what it is, " +
		"such as \"phone\", is among the five words before it or the two after, is a part of its key (user_ssn, dateOfBirth) or heads its column; " +
		"a number that is like many others, such as an account's, has 0.85 right behind its label; national identifiers have 0.5 for their check digit and need such a word, " +
		"but for those that are like nothing else. A phone number scores 0.85 with the code of its country, behind 00 or 011 too, or written like (415) 555-0132, 0.75 when it is valid in a country and " +
		"0.5 when it may be one. A public IP address scores 0.8 where it is like no version, others 0.6 that no word raises. A name (PERSON) scores 0.9 where something introduces it (\"my name is\", \"Dr.\", \"Name:\"), 0.8 as a line of its own, " +
		"0.75 as a known given and family name, 0.6 if one of the two is known and 0.35 alone: names of people in the news are not personal by themselves, and a title introduces nobody in a text that says it tells a story, nor do well-known characters and assistants have one. Days before 1900 are nobody's date of birth. " +
		"Blind spots: names in lower case that nothing introduces, streets without a number, and names that nothing introduces below a threshold of 0.75.",
	Defaults: piiDetectorConfig{Threshold: 0.8},
	Run: func(_ context.Context, in piiDetectorInput, cfg piiDetectorConfig) (piiDetectorOutput, error) {
		found := pii.Found(in.Text, cfg.Threshold, cfg.Entities.Value)
		if len(found) == 0 {
			return piiDetectorOutput{Reason: "Nothing was found."}, nil
		}
		var marked pieces
		highest := 0.0
		pii.Find(in.Text, cfg.Threshold, cfg.Entities.Value, func(m pii.Match) bool {
			highest = max(highest, m.Score)
			return marked.add(eval.Evidence{Input: "text", Kind: m.Kind, Start: m.Start, End: m.End})
		})
		out := piiDetectorOutput{Found: true, Reason: "Found " + strings.Join(found, ", ") + "."}
		out.Judged.Score, out.Judged.Evidence = eval.Scored(highest), marked.inOrder()
		return out, nil
	},
	Places: func(cfg piiDetectorConfig) (eval.Finder, error) {
		return func(ctx context.Context, text string) (places []eval.Place, err error) {
			pii.Find(text, cfg.Threshold, cfg.Entities.Value, func(m pii.Match) bool {
				places = append(places, eval.Place{Kind: m.Kind, Start: m.Start, End: m.End})
				return ctx.Err() == nil
			})
			return places, ctx.Err()
		}, nil
	},
	Examples: []eval.Example{
		{About: "an email address", Input: `{"text": "Contact john.smith@company.com for help."}`, Want: `{"has_pii": true, "reason": "Found EMAIL_ADDRESS."}`},
		{About: "nothing personal", Input: `{"text": "Welcome to our service! We hope you enjoy your experience."}`, Want: `{"has_pii": false, "reason": "Nothing was found."}`},
		{About: "a number that the words before it explain", Input: `{"text": "Call me on my mobile: (415) 555-0132."}`, Want: `{"has_pii": true, "reason": "Found PHONE_NUMBER."}`},
		{About: "a name that is introduced", Input: `{"text": "Hello, my name is Katarzyna Nowak."}`, Want: `{"has_pii": true, "reason": "Found PERSON."}`},
		{About: "a disguise", Input: `{"text": "Write to ada&#64;example\u200b.org"}`, Want: `{"has_pii": true, "reason": "Found EMAIL_ADDRESS."}`},
		{About: "a number that nothing explains", Input: `{"text": "The code is 078-05-1123."}`, Want: `{"has_pii": false, "reason": "Nothing was found."}`},
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
