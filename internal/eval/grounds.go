// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"encoding/json"
	"math"
	"strings"
)

// Grounds are what a verdict rests on. The zero value says nothing.
type Grounds struct {
	// Score is the number that the threshold is compared with, nil where no number decides.
	Score *float64
	// Reason is one plain sentence on one line. It quotes neither credentials nor personal data.
	Reason string
	// Evidence are the pieces of the inputs that decided.
	Evidence []Evidence
}

// Judged is what an evaluator returns besides its outputs. An evaluator returns it by a struct of
// outputs that embeds Judged as its last field.
type Judged struct {
	Grounds
	// Uncertain says that the evaluator cannot know: the outputs are its best guess.
	Uncertain bool
}

// Unsure returns what an evaluator says that cannot know, for this reason.
func Unsure(reason string) Judged { return Judged{Grounds: Grounds{Reason: reason}, Uncertain: true} }

// meet makes score and reason equal to the outputs of these names, if there are any; a
// reason that the evaluator gave of its own stays. A text that was not understood has
// no other reason than its language.
func (j *Judged) meet(outputs []Output) {
	for i := range outputs {
		o := &outputs[i]
		switch value := o.Value.(type) {
		case float64:
			if o.Name == "score" {
				j.Score = &value
			}
		case string:
			if o.Name != "reason" {
				continue
			}
			if j.Uncertain && j.Reason == ReasonLanguage {
				o.Value = j.Reason
			} else if j.Reason == "" {
				j.Reason = value
			}
		}
	}
	j.Reason = oneLine.Replace(j.Reason)
}

var oneLine = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// Evidence is a piece of an input: its bytes, from the first to the one behind the last.
type Evidence struct {
	Input string `json:"input" doc:"The input."`
	Kind  string `json:"kind,omitempty" doc:"What it is."`
	Start int    `json:"start" doc:"The first byte." schema:"minimum=0"`
	End   int    `json:"end" doc:"The byte behind the last." schema:"minimum=0"`
}

// Scored returns a score, rounded to four decimals.
func Scored(x float64) *float64 {
	x = math.Round(x*1e4) / 1e4
	return &x
}

// Number returns the score as stores keep it, NaN where there is none.
func (g *Grounds) Number() float64 {
	if g.Score == nil {
		return math.NaN()
	}
	return *g.Score
}

// SetNumber is the reverse of Number.
func (g *Grounds) SetNumber(x float64) {
	g.Score = nil
	if !math.IsNaN(x) {
		g.Score = &x
	}
}

// Text returns reason and evidence as stores keep them: the reason and, on a second
// line, the evidence as JSON, if there is any.
func (g *Grounds) Text() string {
	if len(g.Evidence) == 0 {
		return g.Reason
	}
	evidence, err := json.Marshal(g.Evidence)
	if err != nil {
		return g.Reason
	}
	return g.Reason + "\n" + string(evidence)
}

// SetText is the reverse of Text. Evidence that is damaged is left out.
func (g *Grounds) SetText(text string) {
	reason, evidence, found := strings.Cut(text, "\n")
	g.Reason, g.Evidence = reason, nil
	if found && json.Unmarshal([]byte(evidence), &g.Evidence) != nil {
		g.Evidence = nil
	}
}
