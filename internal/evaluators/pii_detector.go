// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/judging"
	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
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
		"It sees through characters without width, other spaces and hyphens, full-width letters, look-alikes, HTML entities, JSON escapes, URL encoding and base64. " +
		"A match with a checksum or a valid domain scores 1. A match by form scores less, and 0.35 more when a word explains it: " +
		"a word such as \"phone\" among the five before or the two after, in its key (user_ssn, dateOfBirth) or at the head of its column. " +
		"A number that is like many others, such as an account's, has 0.85 right behind its label. National identifiers have 0.5 for their check digit and need such a word, unless nothing else has their form. " +
		"A phone number scores 0.85 with a country code or written like (415) 555-0132, 0.75 when it is valid in a country, and 0.5 when it may be one. " +
		"A public IP address scores 0.8 where it cannot be a version, and 0.6 otherwise. " +
		"A name (PERSON) scores 0.9 after an introduction (\"my name is\", \"Dr.\", \"Name:\") and 0.8 as a line of its own. A known given and family name scores 0.75, one known name of the two 0.6, and others 0.35. " +
		"Names of people in the news, and titles in stories or of well-known characters and assistants, do not count. Days before 1900 are no date of birth. " +
		"With the backend judge, a judge finds names (PERSON) as well. It reads the text, so it is asked only where it is named. " +
		"Blind spots without it: names in lower case without an introduction, streets without a number, and other names without an introduction below a threshold of 0.75.",
	Defaults: piiDetectorConfig{Threshold: 0.8},
	Run: func(_ context.Context, in piiDetectorInput, cfg piiDetectorConfig) (piiDetectorOutput, error) {
		return in.found(cfg, nil), nil
	},
	Version:   piiPrompts.Version,
	OnRequest: true,
	ByJudge:   judgePersons,
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
		{
			About: "a name in lower case", Input: `{"text": "can you call tom becker at tom@example.com"}`, Config: `{"backend": "judge"}`,
			Judge: []string{`{"reason": "Tom Becker is called.", "names": ["tom becker"]}`},
			Want:  `{"has_pii": true, "reason": "Found EMAIL_ADDRESS, PERSON."}`,
		},
		{About: "a lower threshold", Input: `{"text": "The code is 078-05-1123."}`, Config: `{"probability_threshold": 0.5, "entities": ["US_SSN"]}`, Want: `{"has_pii": true, "reason": "Found US_SSN."}`},
	},
})

var piiPrompts = judging.PromptsOf("pii-detector")

// person is the kind of names.
const person = "PERSON"

// found returns what the text has, with the names of people that a judge found in it.
func (in piiDetectorInput) found(cfg piiDetectorConfig, names []string) piiDetectorOutput {
	kinds := pii.Found(in.Text, cfg.Threshold, cfg.Entities.Value)
	if len(names) > 0 && !slices.Contains(kinds, person) {
		kinds = append(kinds, person)
	}
	if len(kinds) == 0 {
		return piiDetectorOutput{Reason: "Nothing was found."}
	}
	var marked pieces
	highest := 0.0
	pii.Find(in.Text, cfg.Threshold, cfg.Entities.Value, func(m pii.Match) bool {
		highest = max(highest, m.Score)
		return marked.add(eval.Evidence{Input: "text", Kind: m.Kind, Start: m.Start, End: m.End})
	})
	for _, name := range names {
		highest = 1
		at := strings.Index(in.Text, name)
		marked.add(eval.Evidence{Input: "text", Kind: person, Start: at, End: at + len(name)})
	}
	out := piiDetectorOutput{Found: true, Reason: "Found " + strings.Join(kinds, ", ") + "."}
	out.Score, out.Evidence = eval.Scored(highest), marked.inOrder()
	return out
}

// judgePersons has a judge find names, if they are looked for. All else is found by form.
func judgePersons(ctx context.Context, m eval.Models, in piiDetectorInput, cfg piiDetectorConfig) (piiDetectorOutput, error) {
	if wanted := cfg.Entities.Value; lexical.Blank(in.Text) || wanted != nil && !wanted[person] {
		return in.found(cfg, nil), nil
	}
	said := struct{ Names namesIn }{namesIn{text: in.Text}}
	err := piiPrompts.Ask(ctx, m, "names", judging.Object("reason", judging.Text, "names", judging.List(judging.Text)), &said, eval.DataBlock{Name: "text", Text: in.Text})
	if err != nil {
		return piiDetectorOutput{}, err
	}
	return in.found(cfg, said.Names.list), nil
}

// namesIn are names that stand in a text.
type namesIn struct {
	text string
	list []string
}

// UnmarshalJSON implements json.Unmarshaler. The error is for the judge.
func (n *namesIn) UnmarshalJSON(b []byte) error {
	var given []string
	if err := json.Unmarshal(b, &given); err != nil {
		return err
	}
	n.list = nil
	for i, name := range given {
		switch name = strings.TrimSpace(name); {
		case name == "":
		case !strings.Contains(n.text, name):
			return fmt.Errorf("name %d does not stand in the text: copy names exactly as the text has them", i+1)
		default:
			n.list = append(n.list, name)
		}
	}
	return nil
}

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
