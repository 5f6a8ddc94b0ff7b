// SPDX-License-Identifier: Apache-2.0

package otlpreceiver

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.opentelemetry.io/collector/receiver"
	collector "go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

func TestAllSignalsComeIn(t *testing.T) {
	t.Parallel()
	var sink consumertest.TracesSink
	in := start(t, NewFactory(), &sink, nil, nil, nil)
	conn := in.dial(t)
	_, err := ptraceotlp.NewGRPCClient(conn).Export(t.Context(), ptraceotlp.NewExportRequestFromTraces(oneSpan()))
	require.NoError(t, err)
	ld := plog.NewLogs()
	ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body().SetStr("text")
	_, err = plogotlp.NewGRPCClient(conn).Export(t.Context(), plogotlp.NewExportRequestFromLogs(ld))
	require.NoError(t, err)
	md := pmetric.NewMetrics()
	m := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetName("tokens")
	m.SetEmptyGauge().DataPoints().AppendEmpty().SetIntValue(1)
	_, err = pmetricotlp.NewGRPCClient(conn).Export(t.Context(), pmetricotlp.NewExportRequestFromMetrics(md))
	require.NoError(t, err)

	binary, err := ptraceotlp.NewExportRequestFromTraces(oneSpan()).MarshalProto()
	require.NoError(t, err)
	require.Equal(t, told{200, protobufType, "", "\n\x00"}, in.post(t, "/v1/traces", protobufType, string(binary)))
	text, err := plogotlp.NewExportRequestFromLogs(ld).MarshalJSON()
	require.NoError(t, err)
	require.Equal(t, 200, in.post(t, "/v1/logs", jsonType+"; charset=utf-8", string(text)).code)
	text, err = pmetricotlp.NewExportRequestFromMetrics(md).MarshalJSON()
	require.NoError(t, err)
	require.Equal(t, 200, in.post(t, "/v1/metrics", jsonType, string(text)).code)

	require.Len(t, sink.AllTraces(), 2)
	for _, td := range sink.AllTraces() {
		require.Equal(t, oneSpan(), td)
	}
	require.Equal(t, 2, in.logs.LogRecordCount())
	require.Equal(t, 2, in.metrics.DataPointCount())
	counts := in.values(t)
	require.EqualValues(t, 1, counts["otelcol_receiver_accepted_spans grpc"])
	require.EqualValues(t, 1, counts["otelcol_receiver_accepted_spans http"])
}

// values are numbers of metrics by their names and transports.
func (in *intake) values(t *testing.T) map[string]int64 {
	t.Helper()
	var got metricdata.ResourceMetrics
	require.NoError(t, in.reader.Collect(t.Context(), &got))
	values := map[string]int64{}
	for _, sm := range got.ScopeMetrics {
		for _, m := range sm.Metrics {
			var points []metricdata.DataPoint[int64]
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				points = data.DataPoints
			case metricdata.Gauge[int64]:
				points = data.DataPoints
			}
			for _, p := range points {
				transport, _ := p.Attributes.Value("transport")
				values[m.Name+" "+transport.AsString()] += p.Value
			}
		}
	}
	return values
}

// Whatever comes, the answers are those of the collector's own receiver.
func TestAnswersAreTheCollectors(t *testing.T) {
	t.Parallel()
	throttled, err := status.New(codes.ResourceExhausted, "later").WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(3 * time.Second)})
	require.NoError(t, err)
	failures := map[string]error{
		"none": nil, "any": errors.New("a pipeline's"), "permanent": consumererror.NewPermanent(errors.New("a pipeline's")), "throttled": throttled.Err(),
	}
	for c := codes.Canceled; c <= codes.Unauthenticated; c++ {
		failures[c.String()] = status.Error(c, "a status")
	}
	binary, err := ptraceotlp.NewExportRequestFromTraces(oneSpan()).MarshalProto()
	require.NoError(t, err)
	text, err := ptraceotlp.NewExportRequestFromTraces(oneSpan()).MarshalJSON()
	require.NoError(t, err)
	for name, failure := range failures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			next, err := consumer.NewTraces(func(context.Context, ptrace.Traces) error { return failure })
			require.NoError(t, err)
			ours := start(t, NewFactory(), next, nil, map[string]any{"max_request_body_size": 4096}, nil)
			theirs := start(t, collector.NewFactory(), next, nil, map[string]any{"max_request_body_size": 4096}, nil)
			for _, body := range []struct{ kind, body string }{
				{protobufType, string(binary)},
				{jsonType, string(text)},
				{protobufType, "\xff"},
				{jsonType, "{"},
				{jsonType, ""},
				{protobufType, ""},
				{"text/plain", "x"},
				{"", "x"},
				{"a/b/c", "x"},
				{protobufType, string(make([]byte, 5000))},
				{jsonType, string(make([]byte, 5000))},
			} {
				require.Equal(t, theirs.post(t, "/v1/traces", body.kind, body.body), ours.post(t, "/v1/traces", body.kind, body.body), "%q", body)
				require.Equal(t, theirs.post(t, "/v1/else", body.kind, body.body), ours.post(t, "/v1/else", body.kind, body.body))
			}
			require.Equal(t, theirs.call(t, "GET", "/v1/traces", jsonType, ""), ours.call(t, "GET", "/v1/traces", jsonType, ""))
			answers := map[*intake]*status.Status{}
			for _, in := range []*intake{ours, theirs} {
				_, err := ptraceotlp.NewGRPCClient(in.dial(t)).Export(t.Context(), ptraceotlp.NewExportRequestFromTraces(oneSpan()))
				answers[in] = status.Convert(err)
			}
			require.Equal(t, answers[theirs].Proto().String(), answers[ours].Proto().String())
		})
	}
}

// An error is not always text, and is returned all the same.
func TestAnErrorThatCannotBeTold(t *testing.T) {
	t.Parallel()
	in := start(t, NewFactory(), consumertest.NewErr(errors.New("\xff")), nil, nil, nil)
	binary, err := ptraceotlp.NewExportRequestFromTraces(oneSpan()).MarshalProto()
	require.NoError(t, err)
	answer := in.post(t, "/v1/traces", protobufType, string(binary))
	require.Equal(t, 500, answer.code)
	require.Contains(t, answer.kind, "json")
	require.JSONEq(t, `{"code": 13, "message": "the error cannot be encoded"}`, answer.body)
}

func TestLifecycle(t *testing.T) {
	t.Parallel()
	f := NewFactory()
	require.Equal(t, Type, f.Type())
	taken := start(t, f, consumertest.NewNop(), nil, nil, nil)

	cfg := f.CreateDefaultConfig()
	require.NoError(t, confmap.NewFromStringMap(map[string]any{"protocols": map[string]any{
		"grpc": map[string]any{"endpoint": freeAddress(t)}, "http": map[string]any{"endpoint": taken.http},
	}}).Unmarshal(cfg))
	make := func() receiver.Traces {
		r, err := f.CreateTraces(t.Context(), receivertest.NewNopSettings(Type), cfg, consumertest.NewNop())
		require.NoError(t, err)
		return r
	}
	r := make()
	require.Same(t, r, make())
	require.Error(t, r.Start(t.Context(), componenttest.NewNopHost()), "its address is taken")
	require.NoError(t, r.Shutdown(t.Context()))
	require.NoError(t, r.Shutdown(t.Context()))
	require.NotSame(t, r, make(), "one that was stopped is no more")
	require.NoError(t, make().Shutdown(t.Context()), "without a start")
}
