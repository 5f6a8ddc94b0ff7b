// SPDX-License-Identifier: Apache-2.0

// Package judging asks judges: it has the prompts, the schemas of answers, and reads what
// was judged of numbered items.
package judging

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

//go:embed prompts/*.md
var promptFiles embed.FS

// Prompts are what a judge is asked for one evaluator: a file with a version
// and, under a heading each, the instructions of every step.
type Prompts struct {
	slug    string
	Version string // stands in the file; who changes the prompts changes it
	steps   map[string]string
}

// PromptsOf reads the file of an evaluator. It panics on a malformed one: that
// is a defect of the file, found when the program starts.
func PromptsOf(slug string) *Prompts {
	text, err := promptFiles.ReadFile(path.Join("prompts", slug+".md"))
	if err != nil {
		panic(err)
	}
	p, err := parsePrompts(slug, string(text))
	if err != nil {
		panic(err)
	}
	return p
}

func parsePrompts(slug, text string) (*Prompts, error) {
	head, rest, _ := strings.Cut(text, "\n")
	version, ok := strings.CutPrefix(head, "version: ")
	if !ok || version == "" {
		return nil, fmt.Errorf("prompts of %s: the first line is no version", slug)
	}
	p := &Prompts{slug: slug, Version: version, steps: map[string]string{}}
	for _, section := range strings.Split("\n"+strings.TrimSpace(rest), "\n# ")[1:] {
		name, body, _ := strings.Cut(section, "\n")
		body = strings.TrimSpace(body)
		if _, twice := p.steps[name]; twice || body == "" {
			return nil, fmt.Errorf("prompts of %s: step %q is empty or there twice", slug, name)
		}
		p.steps[name] = body
	}
	if len(p.steps) == 0 {
		return nil, fmt.Errorf("prompts of %s: no steps", slug)
	}
	return p, nil
}

// language keeps reasons in one language, whatever that of the data is.
const language = "Write reasons and feedback in English."

// Ask puts a step's question about the data to a judge and decodes the answer. What the
// answer refuses to be decoded from is asked for again.
func (p *Prompts) Ask(ctx context.Context, m eval.Models, step string, schema json.RawMessage, answer any, data ...eval.DataBlock) error {
	return p.AskModel(ctx, m, "", step, schema, answer, data...)
}

// AskModel asks the model of a name, "" being the configured one.
func (p *Prompts) AskModel(
	ctx context.Context, m eval.Models, model, step string, schema json.RawMessage, answer any, data ...eval.DataBlock,
) error {
	_, err := p.ask(ctx, m, step, eval.Question{Model: model, Schema: schema, Data: data}, answer)
	return err
}

// Grades is the schema of a grade.
var Grades = OneOf("integer", "1", "2", "3", "4", "5")

// AskGrade asks for a grade from 1 to 5 with feedback. The grade is the mean of those that the
// judge found likely, if its server tells.
func (p *Prompts) AskGrade(ctx context.Context, m eval.Models, step string, data ...eval.DataBlock) (grade float64, feedback string, err error) {
	var said struct {
		Feedback string
		Grade    int
	}
	grade, err = p.AskGraded(ctx, m, step, "grade", Object("feedback", Text, "grade", Grades), &said, data...)
	if grade == 0 {
		grade = float64(said.Grade)
	}
	return grade, said.Feedback, err
}

// AskVerdict asks for yes or no with a reason. Yes is the probability of yes, if the judge's
// server tells, else 1 or 0.
func (p *Prompts) AskVerdict(ctx context.Context, m eval.Models, step string, data ...eval.DataBlock) (said Judgement, yes float64, err error) {
	yes, err = p.AskGraded(ctx, m, step, "verdict", Object("reason", Text, "verdict", YesOrNo), &said, data...)
	if yes == 0 && said.Yes() {
		yes = 1
	}
	return said, yes, err
}

// AskGraded asks as Ask does, and returns the mean of what the judge found likely for the member
// of this name: a grade of one digit, or the probability of yes. It is 0 if its server does not tell.
func (p *Prompts) AskGraded(
	ctx context.Context, m eval.Models, step, graded string, schema json.RawMessage, answer any, data ...eval.DataBlock,
) (float64, error) {
	verdict, err := p.ask(ctx, m, step, eval.Question{Graded: graded, Schema: schema, Data: data}, answer)
	return verdict.Grade, err
}

// ask puts a step's question to a judge and decodes the answer.
func (p *Prompts) ask(ctx context.Context, m eval.Models, step string, q eval.Question, answer any) (eval.Verdict, error) {
	instructions, ok := p.steps[step]
	if !ok {
		return eval.Verdict{}, fmt.Errorf("prompts of %s: there is no step %q", p.slug, step)
	}
	wanted := reflect.ValueOf(answer).Elem()
	shape := reflect.New(wanted.Type()).Elem()
	shape.Set(wanted)
	q.Evaluator, q.Version, q.Instructions = p.slug, p.Version, instructions+"\n\n"+language
	q.Check = func(said json.RawMessage) error {
		into := reflect.New(shape.Type())
		into.Elem().Set(shape)
		return json.Unmarshal(said, into.Interface())
	}
	verdict, err := m.Judge.Judge(ctx, q)
	if err != nil {
		return verdict, err
	}
	return verdict, verdict.Into(answer)
}
