// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

func TestServersWithFewerCapabilitiesAreUnderstoodAndRemembered(t *testing.T) {
	t.Parallel()
	s := newSetup(t, model.Limits{}, model.JudgeSettings{},
		modeltest.Status(http.StatusBadRequest, "unsupported"), // json_schema
		yes(), yes())
	_, err := s.judge.Judge(t.Context(), question("a"))
	require.NoError(t, err)
	_, err = s.judge.Judge(t.Context(), question("b"))
	require.NoError(t, err)

	all := s.server.Requests()
	require.Len(t, all, 3)
	require.Equal(t, "json_schema", all[0].Chat().ResponseFormat.Type)
	require.Equal(t, "json_object", all[1].Chat().ResponseFormat.Type)
	require.Contains(t, all[1].System(), verdictSchema)
	require.Equal(t, "json_object", all[2].Chat().ResponseFormat.Type)
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
