// SPDX-License-Identifier: Apache-2.0

package keyfilter

import (
	"slices"
	"sort"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// Buckets is a set of buckets: runs that follow one another, apart and in order.
// It may hold more than was added, where that is scattered over more than maxRuns
// runs; it never holds less. A value is not changed by what is added to it.
type Buckets struct{ runs []Run }

// Run is the buckets from First to Last.
type Run struct{ First, Last span.Bucket }

// maxRuns is how many runs a set has at most, which is 8 KiB. Times in order make
// one run; a client would have to scatter its clock over years for more.
const maxRuns = 1024

// Runs returns the runs of the set.
func (s Buckets) Runs() []Run { return s.runs }

// BucketsOf returns the set of runs that are apart and in order.
func BucketsOf(runs []Run) Buckets { return Buckets{runs: runs} }

// Has reports whether a bucket may be in the set.
func (s Buckets) Has(b span.Bucket) bool {
	i := s.at(b)
	return i < len(s.runs) && s.runs[i].First <= b
}

// at returns the place of the first run that does not end before a bucket.
func (s Buckets) at(b span.Bucket) int {
	if n := len(s.runs); n > 0 && b > s.runs[n-1].Last {
		return n
	}
	return sort.Search(len(s.runs), func(i int) bool { return s.runs[i].Last >= b })
}

// With returns the set and a bucket.
func (s Buckets) With(b span.Bucket) Buckets {
	if s.Has(b) {
		return s
	}
	i := s.at(b)
	follows := i > 0 && s.runs[i-1].Last == b-1
	precedes := i < len(s.runs) && s.runs[i].First == b+1
	runs := slices.Clone(s.runs)
	switch {
	case follows && precedes:
		runs[i-1].Last = runs[i].Last
		runs = slices.Delete(runs, i, i+1)
	case follows:
		runs[i-1].Last = b
	case precedes:
		runs[i].First = b
	default:
		runs = slices.Insert(runs, i, Run{b, b})
	}
	if len(runs) > maxRuns {
		runs = joinNearest(runs)
	}
	return Buckets{runs: runs}
}

// joinNearest joins the two runs that are nearest to each other.
func joinNearest(runs []Run) []Run {
	best := 1
	for i := 2; i < len(runs); i++ {
		if int64(runs[i].First)-int64(runs[i-1].Last) < int64(runs[best].First)-int64(runs[best-1].Last) {
			best = i
		}
	}
	runs[best-1].Last = runs[best].Last
	return slices.Delete(runs, best, best+1)
}
