// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
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
	require.True(t, fault.Is(err, fault.Internal), err)
	_, err = models.Classifier.Classify(t.Context(), "a")
	require.Error(t, err)
}
