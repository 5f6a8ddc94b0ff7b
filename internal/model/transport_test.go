// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestLongAnswersAreNotRead(t *testing.T) {
	t.Parallel()
	endless := func(w http.ResponseWriter, r *http.Request, _ modeltest.Request) {
		w.Header().Set("Content-Type", "application/json")
		space := make([]byte, 1<<20)
		for i := range space {
			space[i] = ' '
		}
		for r.Context().Err() == nil {
			if _, err := w.Write(space); err != nil {
				return
			}
		}
	}
	models, _ := modeltest.Models(t, endless)
	_, err := models.Judge.Judge(t.Context(), question("a"))
	require.True(t, fault.Is(err, fault.Unusable), err)
	_, err = models.Classifier.Classify(t.Context(), "a")
	require.Error(t, err)
}

// traced returns the trace that a request came in, and what it was of it.
func traced(t *testing.T, r modeltest.Request) trace.SpanContext {
	t.Helper()
	require.Len(t, r.Header.Values("Traceparent"), 1, r.Path)
	return trace.SpanContextFromContext(propagation.TraceContext{}.Extract(t.Context(), propagation.HeaderCarrier(r.Header)))
}

func TestEveryRequestIsKnownAsOurOwn(t *testing.T) {
	t.Parallel()
	models, server := modeltest.Models(
		t, modeltest.Garbage(), yes(), modeltest.Answer(modeltest.Token{Text: "a"}), modeltest.Vectors([]float64{1}),
		modeltest.Echo(modeltest.Token{Text: "a"}, modeltest.Token{Text: "b"}), modeltest.Labels(modeltest.Label{Label: "a", Score: 1}),
	)
	// A trace of the caller does not go on at the server.
	caller := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled})
	ctx := trace.ContextWithSpanContext(t.Context(), caller)
	_, err := models.Judge.Judge(ctx, question("a"))
	require.Error(t, err)
	_, err = models.Judge.Judge(ctx, question("b"))
	require.NoError(t, err)
	_, err = models.Answerer.Answer(ctx, "a")
	require.NoError(t, err)
	_, err = models.Embedder.Embed(ctx, []string{"a"})
	require.NoError(t, err)
	_, err = models.Scorer.LogProbs(ctx, "ab")
	require.NoError(t, err)
	_, err = models.Classifier.Classify(ctx, "a")
	require.NoError(t, err)

	seen := map[trace.TraceID]bool{}
	for _, r := range server.Requests() {
		parent := traced(t, r)
		require.True(t, parent.IsValid())
		require.False(t, parent.IsSampled())
		require.True(t, span.TraceID(parent.TraceID()).IsSelf())
		require.False(t, seen[parent.TraceID()], "each request has a trace of its own")
		seen[parent.TraceID()] = true
	}
	require.Len(t, seen, 6)
}

// A transport that traces itself writes its own header: it joins our trace.
func TestTracingTransportsKeepTheMark(t *testing.T) {
	t.Parallel()
	server := modeltest.NewServer(t, yes())
	client := *server.Client()
	client.Transport = otelhttp.NewTransport(client.Transport,
		otelhttp.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.AlwaysSample()))),
		otelhttp.WithPropagators(propagation.TraceContext{}))
	judge := model.NewJudge(model.JudgeSettings{Server: model.Server{URL: server.URL(), Client: &client}, Model: "m", MaxTokens: 9}, newGuard())
	_, err := judge.Judge(t.Context(), question("a"))
	require.NoError(t, err)
	parent := traced(t, server.Requests()[0])
	require.True(t, parent.IsSampled())
	require.True(t, span.TraceID(parent.TraceID()).IsSelf())
}
