// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

func TestServersWithFewerCapabilitiesAreUnderstoodAndRemembered(t *testing.T) {
	t.Parallel()
	refusal := modeltest.Status(http.StatusBadRequest, "unsupported") // of json_schema
	s := newSetup(t, model.Limits{}, model.JudgeSettings{}, refusal, yes(), refusal, yes(), yes(), refusal, yes())
	ask := func(text string) {
		_, err := s.judge.Judge(t.Context(), question(text))
		require.NoError(t, err)
	}
	for _, text := range []string{"a", "b", "c"} {
		ask(text)
	}
	s.clock.Advance(time.Hour)
	ask("d")
	var formats []string
	for _, r := range s.server.Requests() {
		formats = append(formats, r.Chat().ResponseFormat.Type)
	}
	require.Equal(t, []string{"json_schema", "json_object", "json_schema", "json_object", "json_object", "json_schema", "json_object"}, formats,
		"one refusal may be of the request, two are of the format, and after an hour the server may be another")
	require.Contains(t, s.server.Requests()[1].System(), verdictSchema)
}

func TestParametersThatAServerNamesAreLeftOut(t *testing.T) {
	t.Parallel()
	s := newSetup(t, model.Limits{}, model.JudgeSettings{},
		modeltest.NotUnderstood("max_tokens"), modeltest.NotUnderstood("temperature"), modeltest.NotUnderstood("seed"),
		modeltest.NotUnderstood("response_format"), modeltest.NotUnderstood("response_format"), yes())
	_, err := s.judge.Judge(t.Context(), question("a"))
	require.NoError(t, err)
	chat := s.server.Requests()[5].Chat()
	require.Zero(t, chat.MaxTokens)
	require.Equal(t, int64(512), chat.MaxCompletionTokens)
	require.Nil(t, chat.Temperature)
	require.Nil(t, chat.Seed)
	require.Empty(t, chat.ResponseFormat.Type)
	require.Contains(t, s.server.Requests()[5].System(), verdictSchema)
}

func TestServerThatRefusesEverythingIsAskedABoundedNumberOfTimes(t *testing.T) {
	t.Parallel()
	s := newSetup(t, retrying, model.JudgeSettings{}, modeltest.Status(http.StatusBadRequest, "no"))
	_, err := s.judge.Judge(t.Context(), question("a"))
	require.True(t, fault.Is(err, fault.Unusable))
	require.Len(t, s.server.Requests(), 3, "one for each format")
	// What failed is not remembered.
	_, err = s.judge.Judge(t.Context(), question("a"))
	require.Error(t, err)
	require.Equal(t, "json_schema", s.server.Requests()[3].Chat().ResponseFormat.Type)
}
