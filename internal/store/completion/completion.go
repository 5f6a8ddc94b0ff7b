// SPDX-License-Identifier: Apache-2.0

// Package completion is the rule by which evaluations that were made take the place
// of those that are stored, which every backlog keeps.
package completion

import (
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// Pair names an evaluation of a span, by texts as they are stored.
type Pair struct{ Setup, Evaluator string }

// PairOf returns the pair of an evaluation.
func PairOf(e *eval.Evaluation) Pair {
	return Pair{Setup: strings.ToValidUTF8(e.SetupID, "\uFFFD"), Evaluator: strings.ToValidUTF8(e.Evaluator, "\uFFFD")}
}

// Subject is what a call says of one span.
type Subject struct {
	store.Owner
	At      store.Location
	Content uint64 // that it was made of, 0 for any
	Made    []eval.Evaluation
	Pairs   []Pair // theirs
	// Counts are those that take the place of what is stored, and Before is what
	// that had cost.
	Counts []eval.Evaluation
	Before []float64
	// Stale says that it was made of another content.
	Stale bool
}

// Subjects puts together what a call says, span by span.
func Subjects(made []store.Evaluated) []*Subject {
	index := map[store.Owner]*Subject{}
	var list []*Subject
	for i := range made {
		x := &made[i]
		o := x.Location().Owner()
		c := index[o]
		if c == nil {
			c = &Subject{Owner: o, At: x.Location(), Content: x.Content}
			index[o] = c
			list = append(list, c)
		}
		for j := range x.Evaluations {
			c.add(&x.Evaluations[j])
		}
	}
	return list
}

// add takes in an evaluation. Of two of one pair the later counts, unless the
// earlier is done.
func (c *Subject) add(v *eval.Evaluation) {
	p := PairOf(v)
	i := slices.Index(c.Pairs, p)
	switch {
	case i < 0:
		c.Pairs = append(c.Pairs, p)
		c.Made = append(c.Made, *v)
	case c.Made[i].Status != eval.Done:
		c.Made[i] = *v
	}
}

// Over returns the evaluations whose leases end: all but those that stay as they
// are because they would be deferred again.
func (c *Subject) Over() []Pair {
	list := []Pair{}
	for i := range c.Made {
		if !c.Stale && !isOwedAnew(&c.Made[i]) {
			list = append(list, c.Pairs[i])
		}
	}
	return list
}

// isOwedAnew reports whether an evaluation is deferred as if it had never been tried
// or put it off.
func isOwedAnew(v *eval.Evaluation) bool {
	return v.Status == eval.Deferred && v.Attempts == 0 && v.Reason != eval.ReasonCost
}

// IsOf reports whether the evaluations were made of this content.
func (c *Subject) IsOf(content uint64) bool { return c.Content == 0 || c.Content == content }

// MeetAll compares with what is stored of the span.
func (c *Subject) MeetAll(stored []eval.Evaluation) {
	for i := range c.Made {
		j := slices.IndexFunc(stored, func(v eval.Evaluation) bool { return PairOf(&v) == c.Pairs[i] })
		if j < 0 {
			c.Meet(i, &eval.Evaluation{})
			continue
		}
		c.Meet(i, &stored[j])
	}
}

// Meet is the rule of completion: done stays but for another verdict of a later
// generation, deferred again stays, else the newer counts. The status is "" where
// nothing is stored.
func (c *Subject) Meet(i int, stored *eval.Evaluation) {
	made := &c.Made[i]
	switch stored.Status {
	case eval.Done:
		if !isRevised(stored, made) {
			return
		}
	case eval.Deferred:
		if isOwedAnew(made) {
			return
		}
	case eval.Uncertain, eval.Failed, eval.Skipped:
	}
	made.Revision = stored.Revision
	// What ended in the same way at the same time is the same, said again.
	if stored.Status.Tried() && (stored.Status != made.Status || stored.Time != made.Time) {
		made.Revision++
	}
	c.Counts = append(c.Counts, *made)
	c.Before = append(c.Before, stored.Usage.Cost)
}

// isRevised reports whether a later generation of the setup has come to another
// verdict. Which generation made what is there must be known.
func isRevised(stored, made *eval.Evaluation) bool {
	if made.Status != eval.Done || stored.Generation == 0 || made.Generation <= stored.Generation {
		return false
	}
	return made.Backend != stored.Backend || made.Version != stored.Version ||
		!slices.EqualFunc(made.Outputs, stored.Outputs, func(a, b eval.Output) bool { return a.Name == b.Name && a.Text() == b.Text() })
}
