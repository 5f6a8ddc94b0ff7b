// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/replies"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

const (
	// window is about how many bytes of a text a classifier reads together with a claim.
	window = 1200
	// mostWindows is how many windows of a text are read for one claim: those with the most of
	// its words.
	mostWindows = 3
	// mostClaims is how many claims of a text are checked. A result is uncertain if there are more.
	mostClaims = 50
)

// windowsOf returns texts of whole sentences, each no longer than a window unless a sentence is.
func windowsOf(sentences []string) []string {
	var all []string
	for _, s := range sentences {
		if last := len(all) - 1; last >= 0 && len(all[last])+len(s) < window {
			all[last] += " " + s
			continue
		}
		all = append(all, s)
	}
	return all
}

// follows returns the probability that a claim follows from one of the windows of a text. The
// bags are those of the windows.
func follows(ctx context.Context, m eval.Models, windows []string, bags map[string]lexical.Bag, claim string) (float64, error) {
	words := lexical.BagOf(claim)
	nearest := slices.Clone(windows)
	if len(nearest) > mostWindows {
		covers := make(map[string]float64, len(nearest))
		for w, bag := range bags {
			covers[w] = lexical.Coverage(words, bag)
		}
		slices.SortStableFunc(nearest, func(a, b string) int { return cmp.Compare(covers[b], covers[a]) })
		nearest = nearest[:mostWindows]
	}
	highest := 0.0
	for _, w := range nearest {
		found, err := m.Classifier.ClassifyPair(ctx, w, claim)
		if err != nil {
			return 0, err
		}
		at := slices.IndexFunc(found.Labels, func(l eval.Label) bool { return strings.HasPrefix(labelName(l), "entail") })
		if at < 0 {
			return 0, fault.New(fault.Unusable, "the classifier has no label for entailment")
		}
		highest = max(highest, found.Labels[at].Score)
	}
	return highest, nil
}

// unsupported returns those of the claims that do not follow from a text, and whether all were
// checked. The question, if there is one, stands before both.
func unsupported(ctx context.Context, m eval.Models, question string, text, claims []string) (not []string, all bool, err error) {
	windows := windowsOf(text)
	if question = strings.TrimSpace(question); question != "" {
		question += " "
		for i := range windows {
			windows[i] = question + windows[i]
		}
	}
	bags := make(map[string]lexical.Bag, len(windows))
	if len(windows) > mostWindows {
		for _, w := range windows {
			bags[w] = lexical.BagOf(w)
		}
	}
	checked := claims[:min(len(claims), mostClaims)]
	for _, c := range checked {
		p, err := follows(ctx, m, windows, bags, question+c)
		if err != nil {
			return nil, false, err
		}
		if p < classifierThreshold {
			not = append(not, c)
		}
	}
	return not, len(checked) == len(claims), nil
}

func classifyFaithfulness(ctx context.Context, m eval.Models, in faithfulnessInput, cfg faithfulnessConfig) (faithfulnessOutput, error) {
	sentences := lexical.Sentences(in.Completion)
	switch {
	case len(sentences) == 0 || replies.Declines(in.Completion):
		return faithfulnessOf(ctx, 0, nil, cfg.Threshold), nil
	case in.Context.Value.Blank():
		return faithfulnessOutput{Judged: scored(0, "There is no context.")}, nil
	}
	claims, question := statementsOf(sentences), ""
	if bareReply.MatchString(in.Completion) {
		claims, question = sentences, in.Question
	}
	not, all, err := unsupported(ctx, m, question, in.Context.Value.Sentences(), claims)
	if err != nil {
		return faithfulnessOutput{}, err
	}
	out := faithfulnessOf(ctx, min(len(claims), mostClaims), not, cfg.Threshold)
	out.Uncertain = !all && out.Faithful
	return out, nil
}

func classifyCorrectness(ctx context.Context, m eval.Models, in answerCorrectnessInput, _ eval.None) (answerCorrectnessOutput, error) {
	answer, reference := lexical.Sentences(in.Completion), lexical.Sentences(in.GroundTruth)
	if len(answer) == 0 || len(reference) == 0 {
		return correctnessOf(ctx, len(answer), len(reference), nil, nil), nil
	}
	wrong, all, err := unsupported(ctx, m, in.Question, reference, answer)
	if err != nil {
		return answerCorrectnessOutput{}, err
	}
	missing, allToo, err := unsupported(ctx, m, in.Question, answer, reference)
	if err != nil {
		return answerCorrectnessOutput{}, err
	}
	out := correctnessOf(ctx, min(len(answer), mostClaims), min(len(reference), mostClaims), wrong, missing)
	out.Uncertain = !all || !allToo
	return out, nil
}
