// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// lacking tells of evaluations that stay pending since this process has not the models that
// are to make them: another process may. It is safe for concurrent use.
type lacking struct {
	left   metric.Int64Counter
	log    *zap.Logger
	memory time.Duration // how long a problem is reported after it was last seen
	now    func() time.Time

	mu   sync.Mutex
	seen map[string]time.Time // by the metrics' label of the evaluator
}

// newLacking makes one that reports for as long as pending evaluations may wait for their next
// try, and then for as long again.
func newLacking(meter metric.Meter, longest time.Duration, log *zap.Logger) (*lacking, error) {
	left, err := meter.Int64Counter("touchstone_evaluations_left", metric.WithUnit("{evaluation}"),
		metric.WithDescription("Number of tries of pending evaluations that this process left to others because it lacks the model."))
	return &lacking{left: left, log: log, memory: 2 * longest, now: time.Now, seen: map[string]time.Time{}}, err
}

// note counts an evaluation that stays pending, and logs it unless it was logged before.
func (l *lacking) note(ctx context.Context, evaluator string, decided eval.Backend, why error) {
	l.left.Add(ctx, 1, metric.WithAttributes(attribute.String("evaluator", evaluator), attribute.String("backend", string(decided))))
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if last, told := l.seen[evaluator]; !told || now.Sub(last) > l.memory {
		l.log.Warn("left pending evaluations to other processes: this process lacks the model",
			zap.String("evaluator", evaluator), zap.String("backend", string(decided)), zap.String("reason", reason(why)))
	}
	l.seen[evaluator] = now
}

// maxNamed is how many evaluators a problem names.
const maxNamed = 5

// problems tells which evaluators lack a model.
func (l *lacking) problems() []store.Problem {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.seen, func(_ string, last time.Time) bool { return now.Sub(last) > l.memory })
	if len(l.seen) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(l.seen))
	text := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if more := len(names) - maxNamed; more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return []store.Problem{{
		Name:    store.ProblemModels,
		Message: "evaluations stay pending because this process lacks the model that they need: " + text,
	}}
}
