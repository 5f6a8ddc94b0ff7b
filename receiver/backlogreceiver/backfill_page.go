// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"context"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// claim makes a job this process's own, and counts its spans if it is new.
func (b *backfiller) claim(ctx context.Context, job monitor.Backfill) (monitor.Backfill, error) {
	if job.Status == monitor.BackfillPending {
		env, setup, err := b.subject(ctx, &job)
		if err != nil {
			return job, err
		}
		job.Status = monitor.BackfillRunning
		if setup == nil {
			job.Status = monitor.BackfillCancelled
			return b.save(ctx, job, 0)
		}
		count := spansOf(&job, 0)
		count.Total = true
		found, err := b.receiver.spans.Search(ctx, env, count)
		if err != nil {
			return job, err
		}
		job.Total = found.Total
	}
	return b.save(ctx, job, b.receiver.backfillLease)
}

// spansOf asks for the spans of a job in the order of their starts. What starts
// after the job was made is not among them: it is judged as it arrives.
func spansOf(job *monitor.Backfill, size int) query.Query {
	return query.Query{
		From: job.From, To: min(job.To, job.CreatedAt.UnixNano()),
		Order: query.Order{By: query.SortTimestamp}, Limit: size,
	}
}

// page looks at the next spans of a job, as many as size, and gives the job as
// it is to be written then. Conflict says that the job is another process's by
// now, NotFound that it is gone. After any other error the page is to be done
// again.
func (b *backfiller) page(ctx context.Context, job monitor.Backfill, size int) (monitor.Backfill, error) {
	now, err := store.Backfills(b.receiver.live).Get(ctx, job.EnvironmentID, job.ID)
	if err != nil {
		return job, err
	}
	if now.Owner != b.owner || now.Status.Over() {
		return job, fault.New(fault.Conflict, "the backfill was written by another process")
	}
	env, setup, err := b.subject(ctx, &job)
	if err != nil {
		return job, err
	}
	if setup == nil {
		job.Status = monitor.BackfillCancelled
		return job, nil
	}
	q := spansOf(&job, size)
	if job.Position != "" {
		q.After = new(query.Position)
		if err := q.After.UnmarshalText([]byte(job.Position)); err != nil {
			job.Status, job.ErrorMessage = monitor.BackfillFailed, "the position of the backfill is damaged"
			return job, nil
		}
	}
	found, err := b.receiver.spans.Search(ctx, env, q)
	if err != nil {
		return job, err
	}
	as := setup.As(job.Decided)
	matched, err := b.judge(ctx, env, &as, found.Spans)
	if err != nil {
		return job, err
	}
	b.receiver.metrics.backfilled.Add(ctx, int64(len(found.Spans)))
	job.Seen += int64(len(found.Spans))
	job.Matched += matched
	if found.Next == nil {
		job.Status, job.Position = monitor.BackfillCompleted, ""
		job.Total = max(job.Total, job.Seen) // spans that came late
		return job, nil
	}
	position, err := found.Next.MarshalText()
	job.Position = string(position)
	return job, err
}

// subject returns the environment and the setup of a job; no setup if that is
// gone.
func (b *backfiller) subject(ctx context.Context, job *monitor.Backfill) (tenant.Environment, *monitor.Setup, error) {
	s := newTriage(b.receiver, b.receiver.now())
	env, known, err := s.environment(ctx, job.EnvironmentID)
	if err != nil || !known {
		return env, nil, err
	}
	for range 2 {
		setups := s.receiver.live.Setups(env.ID)
		for i := range setups {
			if setups[i].ID == job.SetupID {
				return env, &setups[i], nil
			}
		}
		if err := s.refresh(ctx); err != nil {
			return env, nil, err
		}
	}
	return env, nil, nil
}

// judge sends those of the spans that the setup's selector matches, and gives
// how many these are.
func (b *backfiller) judge(ctx context.Context, env tenant.Environment, setup *monitor.Setup, spans []span.Span) (matched int64, err error) {
	defined, err := (&customEvaluators{live: b.receiver.live}).of(ctx, env.ID, []*monitor.Setup{setup})
	if err != nil {
		return 0, err
	}
	sending, cancel := context.WithTimeout(b.work, b.receiver.cfg.Timeout)
	defer cancel()
	load := pageLoad{setup: setup, batch: batch{traces: ptrace.NewTraces()}}
	for i := range spans {
		one := ptrace.NewTraces()
		rs := one.ResourceSpans().AppendEmpty()
		out := genai.ToOTLP(&spans[i], rs)
		stamp(rs.Resource().Attributes(), &env)
		if !setup.Selector.Matches(genai.NewView(rs.Resource(), out)) {
			continue
		}
		rs.Resource().Attributes().PutBool(tenant.AttributeBackfill, true)
		monitor.CarrySetups(rs.Resource().Attributes(), []monitor.Setup{*setup}, defined)
		size := sizeOf(rs)
		if load.batch.size > 0 && load.batch.size+size > maxBatchBytes {
			if err := b.pass(sending, &load); err != nil {
				return 0, err
			}
			load = pageLoad{setup: setup, batch: batch{traces: ptrace.NewTraces()}}
		}
		one.ResourceSpans().MoveAndAppendTo(load.batch.traces.ResourceSpans())
		load.batch.size += size
		load.spans, load.state = append(load.spans, spans[i].Key()), spans[i].TraceState
		matched++
	}
	if len(load.spans) == 0 {
		return matched, nil
	}
	return matched, b.pass(sending, &load)
}

// pageLoad is what a backfill sends at once.
type pageLoad struct {
	batch batch
	setup *monitor.Setup
	spans []span.Key
	state string // of the trace of the last span
}

// pass sends spans. One that the pipeline does not take alone, and would not
// take again, must not keep the others from being judged: what is to be judged
// on it is left to the backlog.
func (b *backfiller) pass(ctx context.Context, load *pageLoad) error {
	err := b.receiver.send(ctx, load.batch.traces)
	if err == nil || len(load.spans) > 1 || !consumererror.IsPermanent(err) {
		return err
	}
	b.receiver.log.Debug("the pipeline did not take a span of a backfill", zap.Error(err))
	key, now := load.spans[0], b.receiver.now()
	if key.TraceID.IsSelf() {
		return nil
	}
	var list []eval.Evaluation
	for i := range load.setup.Evaluators {
		w := &load.setup.Evaluators[i]
		if w.Sampled(key.TraceID) {
			list = append(list, eval.Evaluation{
				SetupID: load.setup.ID, Evaluator: w.Slug, Status: eval.Deferred, Reason: reasonRefused,
				Attempts: 1, Time: now.UnixNano(), Due: now.Add(firstReschedule).UnixNano(),
				Generation: load.setup.Generation, Source: eval.FromTouchstone, Probability: w.Probability(load.state), Backend: w.Decided,
			})
		}
	}
	return b.receiver.backlog.Complete(ctx, []store.Evaluated{{Environment: load.setup.EnvironmentID, Span: key, Evaluations: list}})
}
