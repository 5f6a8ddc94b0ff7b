// SPDX-License-Identifier: Apache-2.0

package evaluationconnector

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/exporter/otlphttpexporter"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/genai/verdicts"
	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// Records go through a real exporter to a real receiver.
func TestOverOTLP(t *testing.T) {
	t.Parallel()
	place, err := testbed.New(t.TempDir()) // for its free ports
	require.NoError(t, err)
	sink := new(consumertest.LogsSink)
	receivers := otlpreceiver.NewFactory()
	listen := receivers.CreateDefaultConfig()
	require.NoError(t, confmap.NewFromStringMap(map[string]any{
		"protocols": map[string]any{"http": map[string]any{"endpoint": strings.TrimPrefix(place.HTTP, "http://")}},
	}).Unmarshal(listen))
	r, err := receivers.CreateLogs(t.Context(), receivertest.NewNopSettings(receivers.Type()), listen, sink)
	require.NoError(t, err)
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	defer func() { require.NoError(t, r.Shutdown(t.Context())) }()

	exporters := otlphttpexporter.NewFactory()
	send := exporters.CreateDefaultConfig()
	require.NoError(t, confmap.NewFromStringMap(map[string]any{"endpoint": place.HTTP}).Unmarshal(send))
	e, err := exporters.CreateLogs(t.Context(), exportertest.NewNopSettings(exporters.Type()), send)
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
	defer func() { require.NoError(t, e.Shutdown(t.Context())) }()

	f := NewFactory()
	c, err := f.CreateTracesToLogs(t.Context(), connectortest.NewNopSettings(Type), f.CreateDefaultConfig(), e)
	require.NoError(t, err)
	require.NoError(t, c.ConsumeTraces(t.Context(), judged(
		done("s", "pii-detector", eval.Deterministic, output("has_pii", true), output("reason", "EMAIL_ADDRESS")))))

	require.Eventually(t, func() bool { return sink.LogRecordCount() == 1 }, time.Minute, 5*time.Millisecond)
	record := only(t, sink.AllLogs()[0])
	require.Equal(t, verdicts.EvaluationEvent, record.EventName())
	require.Equal(t, map[string]any{
		verdicts.EvaluationName: "pii-detector.has_pii", verdicts.EvaluationScore: 1.0, verdicts.EvaluationLabel: "fail", attributeResponseID: "chatcmpl-1",
		attributeEvaluator: "pii-detector", attributeSetup: "s", attributeBackend: "deterministic",
		verdicts.EvaluatorID: "pii-detector", verdicts.EvaluatorType: "deterministic",
	}, record.Attributes().AsRaw())
	require.True(t, record.Flags().IsSampled())
	require.WithinDuration(t, time.Now(), record.ObservedTimestamp().AsTime(), time.Minute)
}
