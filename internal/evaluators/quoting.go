// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/pii"
	"github.com/touchstone-otel/touchstone/internal/evaluators/secrets"
	"github.com/touchstone-otel/touchstone/internal/evaluators/wording"
	"github.com/touchstone-otel/touchstone/internal/textcut"
)

const (
	// mostQuoted is how many bytes of a text are searched before its beginning is quoted: a
	// key that is cut there is long enough to be known, since less is shown.
	mostQuoted = 2000
	// personalFrom is the score from which something is too personal to be quoted.
	personalFrom = 0.8
)

// quoted returns the beginning of a text for a reason: on one line, and with
// the kinds of credentials and of personal information in their place, since a reason is
// kept and read where what was said need not be.
func quoted(ctx context.Context, said string) string {
	return wording.Shorten(masked(ctx, wording.Phrase(textcut.Bytes(said, mostQuoted))))
}

// mostReason is how many characters are kept of a judge's reason, with what it is about.
const mostReason = 240

// reasonOf returns a judge's reason as a sentence, without credentials and personal
// information.
func reasonOf(ctx context.Context, said string) string {
	if said = masked(ctx, wording.Phrase(textcut.Bytes(said, mostQuoted))); said == "" {
		return ""
	}
	beginning, more := textcut.Characters(said, mostReason)
	if more {
		return beginning + "…"
	}
	return beginning + "."
}

// objections returns the first of what a judge objects to, as many as a reason names.
func objections(ctx context.Context, said []string) []string {
	all := slices.Clone(said)
	for i := range all[:min(len(all), wording.MostItems)] {
		all[i] = strings.TrimSuffix(reasonOf(ctx, all[i]), ".")
	}
	return all
}

// masked returns a text with the kinds of credentials and of personal information in their
// place.
func masked(ctx context.Context, said string) string {
	var places []eval.Place
	err := secrets.Find(ctx, said, func(start, end int) bool {
		places = append(places, eval.Place{Kind: "SECRET", Start: start, End: end})
		return true
	})
	if err != nil { // it may contain anything
		return "…"
	}
	pii.Find(said, personalFrom, nil, func(m pii.Match) bool {
		places = append(places, eval.Place{Kind: m.Kind, Start: m.Start, End: m.End})
		return true
	})
	if len(places) == 0 {
		return said
	}
	slices.SortStableFunc(places, func(a, b eval.Place) int { return cmp.Compare(a.Start, b.Start) })
	var shown strings.Builder
	done := 0
	for _, p := range places {
		if p.Start >= done {
			shown.WriteString(said[done:p.Start] + "[" + p.Kind + "]")
		}
		done = max(done, p.End)
	}
	shown.WriteString(said[done:])
	return shown.String()
}

// quotedEach quotes the first of many, as many as a reason names.
func quotedEach(ctx context.Context, said []string) []string {
	quotes := slices.Clone(said)
	for i := range quotes[:min(len(quotes), wording.MostItems)] {
		quotes[i] = quoted(ctx, quotes[i])
	}
	return quotes
}
