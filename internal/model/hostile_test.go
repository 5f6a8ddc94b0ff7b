// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

// drip writes a space again and again until the client has gone.
func drip(w http.ResponseWriter, r *http.Request, _ modeltest.Request) {
	w.Header().Set("Content-Type", "application/json")
	for r.Context().Err() == nil {
		_, _ = w.Write([]byte(" "))
		w.(http.Flusher).Flush()
	}
}

// packed answers with a few bytes of gzip that unpack to 64 MiB.
func packed(t *testing.T) modeltest.Step {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	chunk := bytes.Repeat([]byte(" "), 1<<20)
	for range 64 {
		_, err := z.Write(chunk)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return modeltest.Header("Content-Encoding", "gzip", modeltest.Raw(http.StatusOK, "application/json", b.String()))
}

// Whatever a server answers, the caller gets one error that quotes none of it.
func TestHostileServers(t *testing.T) {
	t.Parallel()
	stolen := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	t.Cleanup(stolen.Close)
	deep := strings.Repeat("[", 1000) + strings.Repeat("]", 1000)
	for _, c := range []struct {
		name  string
		step  modeltest.Step
		kind  fault.Kind
		limit time.Duration // of the wait for an answer that never ends; a minute otherwise
	}{
		{"redirect", modeltest.Header("Location", stolen.URL, modeltest.Raw(http.StatusTemporaryRedirect, "", "SECRET")), fault.Unusable, 0},
		{"redirect that turns into a GET", modeltest.Header("Location", stolen.URL, modeltest.Raw(http.StatusFound, "", "SECRET")), fault.Unusable, 0},
		{"web page", modeltest.Raw(http.StatusOK, "text/html", "<html>SECRET</html>"), fault.Unusable, 0},
		{"image", modeltest.Raw(http.StatusOK, "image/png", "SECRET"), fault.Unusable, 0},
		{"deep JSON", modeltest.Raw(http.StatusOK, "application/json", deep), fault.Unusable, 0},
		{"deep JSON for a verdict", modeltest.Content(deep), fault.Unusable, 0},
		{"deep JSON in a verdict", modeltest.Content(`{"reason":"SECRET","verdict":` + deep + `}`), fault.Unusable, 0},
		{"verdict of 20 MB", modeltest.Content(`{"reason":"` + strings.Repeat("SECRET", 3<<20) + `","verdict":"yes"}`), fault.Unusable, 0},
		{"a few bytes that are many", packed(t), fault.Unusable, 0},
		{"invalid UTF-8", modeltest.Raw(http.StatusOK, "application/json", "{\"choices\":\"\xff\xfe\xc0\"}"), fault.Unusable, 0},
		{"endless headers", modeltest.Header("X-Secret", strings.Repeat("SECRET", 1<<20), yes()), fault.Unavailable, 0},
		{"slow drip", drip, fault.Unavailable, time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := modeltest.NewServer(t, c.step)
			transport := http.DefaultTransport.(*http.Transport).Clone()
			model.Harden(transport, false, false)
			t.Cleanup(transport.CloseIdleConnections)
			judge := model.NewJudge(model.JudgeSettings{
				Server: model.Server{URL: server.URL(), Key: "sk-secret", Client: &http.Client{Transport: transport}}, Model: "m", MaxTokens: 9,
			}, model.NewGuard("default", model.Limits{Timeout: cmp.Or(c.limit, time.Minute)}, nil, nil))
			_, err := judge.Judge(t.Context(), question("a"))
			require.Error(t, err)
			require.Equal(t, c.kind, fault.KindOf(err), "%v", err)
			require.NotContains(t, err.Error(), "SECRET")
			require.Less(t, len(err.Error()), 1000)
		})
	}
}
