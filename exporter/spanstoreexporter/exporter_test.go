// SPDX-License-Identifier: Apache-2.0

package spanstoreexporter

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/goleak"

	"github.com/touchstone-otel/touchstone/internal/configtest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/genai/genaitest"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/partial"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/store/opinions"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// environments are those of an organization that newHost makes: prd and dev.
func environments() (prd, dev tenant.Environment) {
	_, keys := storetest.NewOrganization("acme", "prd", "dev")
	return keys[0].Environment, keys[1].Environment
}

func envID() string {
	prd, _ := environments()
	return string(prd.ID)
}

// shelf is a span store that keeps what it is given, or refuses it. Reading is
// not the exporter's business; the tests of the distribution read from the real engine.
type shelf struct {
	store.Engine
	store.Backlog
	refuse    error
	records   []store.Record
	messages  []store.Messages
	completed [][]store.Evaluated // one per call
}

func (s *shelf) Complete(_ context.Context, made []store.Evaluated) error {
	s.completed = append(s.completed, made)
	return s.refuse
}

func (s *shelf) Write(_ context.Context, b store.Batch) (store.Written, error) {
	s.records = append(s.records, b.Records...)
	s.messages = append(s.messages, b.Messages...)
	return store.Written{}, s.refuse
}

type host struct {
	component.StartFunc
	component.ShutdownFunc
	shelf   *shelf // what spans and backlog are, unless a test puts an engine there
	spans   store.Engine
	backlog store.Backlog
	live    *cache.Cache
	book    *opinions.Book
}

func (h *host) Engine() store.Engine   { return h.spans }
func (h *host) Backlog() store.Backlog { return h.backlog }
func (h *host) Control() *cache.Cache  { return h.live }

func (h *host) Opinions() *opinions.Book { return h.book }

func (h *host) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{component.MustNewID("store"): h}
}

func newHost(t *testing.T) *host {
	t.Helper()
	control, err := sqldb.Open(t.Context(), sqldb.Config{Path: t.TempDir() + "/control.db"})
	require.NoError(t, err)
	t.Cleanup(func() { _ = control.Close() })
	live, err := cache.New(t.Context(), control)
	require.NoError(t, err)
	org, keys := storetest.NewOrganization("acme", "prd", "dev")
	require.NoError(t, live.CreateOrganization(t.Context(), org, keys))
	shelf := &shelf{}
	book, err := opinions.Open(t.Context(), shelf, control, time.Now)
	require.NoError(t, err)
	return &host{shelf: shelf, spans: shelf, backlog: shelf, live: live, book: book}
}

func startTraces(t *testing.T, h *host) exporter.Traces {
	t.Helper()
	f := NewFactory()
	e, err := f.CreateTraces(t.Context(), exportertest.NewNopSettings(Type), f.CreateDefaultConfig())
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), h))
	t.Cleanup(func() { require.NoError(t, e.Shutdown(context.Background())) })
	return e
}

func startLogs(t *testing.T, h *host) exporter.Logs {
	t.Helper()
	f := NewFactory()
	e, err := f.CreateLogs(t.Context(), exportertest.NewNopSettings(Type), f.CreateDefaultConfig())
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), h))
	t.Cleanup(func() { require.NoError(t, e.Shutdown(context.Background())) })
	return e
}

func stamped() ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr(tenant.AttributeEnvironmentID, envID())
	rs.Resource().Attributes().PutStr("service.name", "shop")
	s := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	s.SetName("chat")
	s.SetTraceID([16]byte{1})
	s.SetSpanID([8]byte{2})
	s.Attributes().PutStr("gen_ai.system", "OpenAI")
	return td
}

func TestSpansGoToTheirEnvironmentWithTheirEvaluations(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	td := stamped()
	made := []eval.Evaluation{{SetupID: "s", Evaluator: "char-count", Status: eval.Done, Outputs: []eval.Output{{Name: "char_count", Value: int64(3)}}}}
	monitor.Carry(td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes(), made)
	before := time.Now().UnixNano()
	require.NoError(t, startTraces(t, h).ConsumeTraces(t.Context(), td))

	require.Len(t, h.shelf.records, 1)
	got := h.shelf.records[0]
	require.GreaterOrEqual(t, got.Span.Arrived, before)
	require.LessOrEqual(t, got.Span.Arrived, time.Now().UnixNano())
	prd, _ := environments()
	require.Equal(t, prd, got.Environment)
	require.Equal(t, made, got.Evaluations)
	require.Equal(t, "shop", got.Span.Service)
	require.Equal(t, "openai", got.Span.Vendor)
	for _, a := range append(got.Span.Attributes, got.Span.Resource...) {
		require.False(t, tenant.Reserved(a.Key), a.Key)
	}
}

func TestMessagesOfLogRecordsAreKept(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	e := startLogs(t, h)
	kept := 0
	for _, r := range genaitest.Recordings(t) {
		if r.Signal != genaitest.Logs {
			continue
		}
		ld, err := r.Logs()
		if err != nil { // what SDKs post that is not OTLP
			continue
		}
		for _, rl := range ld.ResourceLogs().All() {
			rl.Resource().Attributes().PutStr(tenant.AttributeEnvironmentID, envID())
		}
		require.NoError(t, e.ConsumeLogs(t.Context(), ld))
		kept++
	}
	require.Positive(t, kept)
	require.NotEmpty(t, h.shelf.messages)
	require.EqualValues(t, envID(), h.shelf.messages[0].Environment.ID)
	require.NotEmpty(t, h.shelf.messages[0].Prompts)
}

func TestOtherLogRecordsAreRefused(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr(tenant.AttributeEnvironmentID, envID())
	records := rl.ScopeLogs().AppendEmpty().LogRecords()
	records.AppendEmpty().Body().SetStr("started")
	ofNoSpan := records.AppendEmpty()
	ofNoSpan.SetEventName("gen_ai.user.message")
	ofNoSpan.Body().SetStr("Hi")
	h.shelf.refuse = errors.New("nothing was to be written")
	ctx, rejected := partial.With(t.Context())
	require.NoError(t, startLogs(t, h).ConsumeLogs(ctx, ld))
	count, reason := rejected.Result()
	require.EqualValues(t, 2, count)
	require.Contains(t, reason, "log records are stored only if")
}

func TestWithoutAKnownEnvironmentNothingIsStored(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	traces, logs := startTraces(t, h), startLogs(t, h)
	for _, stamp := range []string{"", "unknown"} {
		td, ld := stamped(), plog.NewLogs()
		a := td.ResourceSpans().At(0).Resource().Attributes()
		b := ld.ResourceLogs().AppendEmpty().Resource().Attributes()
		a.Clear()
		if stamp != "" {
			a.PutStr(tenant.AttributeEnvironmentID, stamp)
			b.PutStr(tenant.AttributeEnvironmentID, stamp)
		}
		require.True(t, consumererror.IsPermanent(traces.ConsumeTraces(t.Context(), td)))
		require.True(t, consumererror.IsPermanent(logs.ConsumeLogs(t.Context(), ld)))
	}
	require.Empty(t, h.shelf.records)
}

func TestSendersAreToldWhetherTryingAgainHelps(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	e := startTraces(t, h)
	for kind, permanent := range map[fault.Kind]bool{
		fault.Invalid: true, fault.TooLarge: true, fault.Unavailable: false, fault.Internal: false,
	} {
		h.shelf.refuse = fault.New(kind, "refused")
		err := e.ConsumeTraces(t.Context(), stamped())
		require.Error(t, err)
		require.Equal(t, permanent, consumererror.IsPermanent(err), kind)
	}
}

// Senders read what is wrong, and nothing about the machine.
func TestSendersReadNoPaths(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	e := startTraces(t, h)
	h.shelf.refuse = fault.Wrap(fault.Unavailable, &os.PathError{Op: "open", Path: "/var/lib/touchstone/spans", Err: syscall.EROFS}, "write spans: the disk is read-only")
	err := e.ConsumeTraces(t.Context(), stamped())
	require.EqualError(t, err, "write spans: the disk is read-only")
	require.ErrorIs(t, err, syscall.EROFS)
	h.shelf.refuse = &os.PathError{Op: "open", Path: "/var/lib/touchstone/spans", Err: syscall.EIO}
	require.EqualError(t, e.ConsumeTraces(t.Context(), stamped()), "internal error")
	h.shelf.refuse = context.Canceled
	require.EqualError(t, e.ConsumeTraces(t.Context(), stamped()), "context canceled")
}

func TestConfigAndLifecycle(t *testing.T) {
	t.Parallel()
	f := NewFactory()
	configtest.Check(t, f.CreateDefaultConfig())
	cfg := f.CreateDefaultConfig()
	require.NoError(t, configtest.Load(t, component.MustNewID("spanstore"), cfg))
	require.Equal(t, f.CreateDefaultConfig(), cfg)
	require.NoError(t, configtest.Load(t, component.MustNewIDWithName("spanstore", "full"), cfg))
	require.Equal(t, &Config{Store: component.MustNewIDWithName("store", "other"), ListPrices: true}, cfg)
	require.ErrorContains(t, (&Config{}).Validate(), `"store"`)

	e, err := f.CreateTraces(t.Context(), exportertest.NewNopSettings(Type), f.CreateDefaultConfig())
	require.NoError(t, err)
	require.NoError(t, e.Shutdown(t.Context()), "without a start")
	e, err = f.CreateTraces(t.Context(), exportertest.NewNopSettings(Type), f.CreateDefaultConfig())
	require.NoError(t, err)
	require.ErrorContains(t, e.Start(t.Context(), componenttest.NewNopHost()), `"store"`)
	require.NoError(t, e.Shutdown(t.Context()))
}
