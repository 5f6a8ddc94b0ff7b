// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"fmt"
	"net/url"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	// window is within how much time tails skip to one place, so that those that ask
	// for the same, where more arrives than they can follow, have one answer.
	window = 2 * time.Second
	// keptFor is how long an answer is kept, keptPages how many are.
	keptFor   = 5 * time.Second
	keptPages = 32
)

// recentKey is what an answer is of: where it begins and what was asked.
type recentKey string

// recentKeyOf returns the key of what parameters ask for behind a place.
func recentKeyOf(env tenant.EnvironmentID, at query.Position, values url.Values) recentKey {
	asked := url.Values{}
	for _, name := range []string{paramFilters, paramFields, paramPreview} {
		asked[name] = values[name]
	}
	return recentKey(fmt.Sprintf("%s %d %x %x %s", env, at.Number, at.TraceID, at.SpanID, asked.Encode()))
}

// recent keeps answers that have spans for a short time: what arrived behind a place
// first does not change, and who asks again goes on behind it. The zero value is ready.
type recent struct {
	once sync.Once
	list *lru.Cache[recentKey, recentPage]
}

type recentPage struct {
	answer SpanTail
	made   time.Time
}

func (p *recentPage) old(now time.Time) bool { return now.Sub(p.made) >= keptFor }

// pages returns what is kept, in the order in which it was made.
func (r *recent) pages() *lru.Cache[recentKey, recentPage] {
	r.once.Do(func() { r.list, _ = lru.New[recentKey, recentPage](keptPages) }) // only a size below 1 is an error
	return r.list
}

func (r *recent) get(key recentKey, now time.Time) (SpanTail, bool) {
	p, found := r.pages().Peek(key)
	return p.answer, found && !p.old(now)
}

// put keeps an answer, and forgets those that are old, or the oldest where there are
// too many.
func (r *recent) put(key recentKey, answer SpanTail, now time.Time) {
	pages := r.pages()
	pages.Add(key, recentPage{answer, now})
	for {
		if _, oldest, there := pages.GetOldest(); !there || !oldest.old(now) {
			return
		}
		pages.RemoveOldest()
	}
}
