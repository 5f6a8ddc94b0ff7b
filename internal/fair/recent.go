// SPDX-License-Identifier: Apache-2.0

package fair

import "time"

// Recent knows for each caller whether another one came lately. It remembers the latest
// visit of all and the latest visit of another caller than that one, so it need not know
// them all. The zero value is ready. Its user guards it.
type Recent[K comparable] struct{ latest, other visit[K] }

// visit is when a caller came; the zero value is never.
type visit[K comparable] struct {
	who  K
	when time.Time
}

// Note notes that a caller came.
func (r *Recent[K]) Note(who K, now time.Time) {
	if r.latest.who != who {
		r.other = r.latest
	}
	r.latest = visit[K]{who, now}
}

// Another reports whether another caller than this one came within a period until now.
func (r *Recent[K]) Another(who K, now time.Time, within time.Duration) bool {
	v := r.latest
	if v.who == who {
		v = r.other
	}
	return v.within(now, within)
}

// Several reports whether more than one caller came within a period until now.
func (r *Recent[K]) Several(now time.Time, within time.Duration) bool {
	return r.latest.within(now, within) && r.other.within(now, within)
}

func (v visit[K]) within(now time.Time, period time.Duration) bool {
	return !v.when.IsZero() && now.Sub(v.when) < period
}
