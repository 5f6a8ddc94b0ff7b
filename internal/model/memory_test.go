// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

// What is kept of answers keeps no more of the responses that they came in, which may be a
// thousand times as large.
//
//nolint:paralleltest // it looks at the heap of the process
func TestAnswersDoNotKeepTheirResponses(t *testing.T) {
	const responses = 32
	large := modeltest.Raw(http.StatusOK, "application/json", `{"model":"judge-1-2026","reasoning":"`+strings.Repeat("x", 1<<20)+`","choices":[{"index":0,"finish_reason":"stop",
		"message":{"role":"assistant","content":"{\"reason\":\"r\",\"verdict\":\"yes\"}"},"logprobs":{"content":[{"token":"true","logprob":-1,"bytes":null,"top_logprobs":[]}]}}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`)
	steps := make([]modeltest.Step, 2*responses)
	for i := range steps {
		steps[i] = large
	}
	models, _ := modeltest.Models(t, steps...)
	var kept []any
	before := heap()
	for i := range responses {
		verdict, err := models.Judge.Judge(t.Context(), question(strconv.Itoa(i)))
		require.NoError(t, err)
		require.Equal(t, "judge-1-2026", verdict.Model)
		answer, err := models.Answerer.Answer(t.Context(), strconv.Itoa(i))
		require.NoError(t, err)
		require.Equal(t, "true", answer.Tokens[0].Text)
		kept = append(kept, verdict, answer)
	}
	require.Less(t, heap()-before, int64(4<<20), "of %d responses of a megabyte", 2*responses)
	runtime.KeepAlive(kept)
}

// heap returns how many bytes are in use after a collection.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
