// SPDX-License-Identifier: Apache-2.0

package model

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const fuzzSchema = `{"type":"object","properties":{"n":{"type":"integer"},"v":{"enum":["yes","no"]}},` +
	`"required":["v"],"additionalProperties":false}`

// Whatever a model says, the result is an error or JSON that fits the schema
// and decodes into Go.
func FuzzReadVerdict(f *testing.F) {
	for _, s := range []string{
		`{"v":"yes"}`, "```json\n{\"v\":\"no\",\"n\":3.0}\n```", `{"v":"yes","v":"no"}`, `<think>{"v":"no"}</think>{"v":"yes"}`,
		`{"v":"yes","n":1e-99999999}`, `{"n":1E400}`, "", "```", "``````", `null`, `{"v":"\u0000\ud800"}`, "\xff{}", `{"v":"yes"}{"v":"no"}`,
	} {
		f.Add(s)
	}
	schema, err := newShapes().get(json.RawMessage(fuzzSchema))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := readVerdict(text, schema)
		if err != nil {
			require.Nil(t, got)
			return
		}
		var v struct {
			V string
			N float64
		}
		require.NoError(t, json.Unmarshal(got, &v))
		require.Contains(t, []string{"yes", "no"}, v.V)
		again, err := readVerdict(string(got), schema)
		require.NoError(t, err)
		require.JSONEq(t, string(got), string(again))
	})
}

func FuzzDecodeLabels(f *testing.F) {
	for _, s := range []string{`[{"label":"a","score":1}]`, `[[{"label":"a","score":0.5}]]`, `[[],[]]`, `[null]`, `{}`, ``} {
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, answer string, logits bool) {
		raw, err := decodeLabels([]byte(answer))
		if err != nil {
			return
		}
		for _, a := range []Activation{Softmax, Sigmoid} {
			labels, err := readLabels(raw, logits, a, nil)
			if err != nil {
				continue
			}
			require.NotEmpty(t, labels)
			for _, l := range labels {
				require.True(t, l.Score >= 0 && l.Score <= 1, l)
			}
		}
	})
}

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"1", "-1", "1e300", "NaN", "Inf", "Wed, 21 Oct 2015 07:28:00 GMT", ""} {
		f.Add(s)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, value string) {
		for _, name := range []string{"Retry-After", "Retry-After-Ms"} {
			wait := retryAfter(http.Header{name: {value}}, now)
			require.GreaterOrEqual(t, wait, time.Duration(0))
		}
	})
}

func TestIntegersAreWrittenAsIntegers(t *testing.T) {
	t.Parallel()
	schema, err := newShapes().get(json.RawMessage(fuzzSchema))
	require.NoError(t, err)
	got, err := readVerdict(`{"v":"yes","n":3.0}`, schema)
	require.NoError(t, err)
	var v struct{ N int }
	require.NoError(t, json.Unmarshal(got, &v))
	require.Equal(t, 3, v.N)
}

func TestSoftmaxOfLogits(t *testing.T) {
	t.Parallel()
	raw, err := decodeLabels([]byte(`[{"label":"b","score":1000},{"label":"a","score":1000},{"label":"c","score":-1000}]`))
	require.NoError(t, err)
	labels, err := readLabels(raw, true, Softmax, nil)
	require.NoError(t, err)
	require.Equal(t, "a", labels[0].Name, "ties go by name")
	require.InDelta(t, 0.5, labels[0].Score, 1e-12)
	require.InDelta(t, 0, labels[2].Score, 1e-12)
	require.Error(t, Activation("tanh").Validate())
	require.NoError(t, Sigmoid.Validate())
}

func TestBoundaryIsASecretOfItsFence(t *testing.T) {
	t.Parallel()
	one, other := newPromptBoundary().boundary(nil), newPromptBoundary().boundary(nil)
	require.NotEqual(t, one, other)
	require.Len(t, one, 32)
}

func TestWallClockSleeps(t *testing.T) {
	t.Parallel()
	require.NoError(t, wallClock{}.Sleep(t.Context(), time.Nanosecond))
	require.False(t, wallClock{}.Now().IsZero())
}
