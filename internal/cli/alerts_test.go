// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAlertsAreApplied(t *testing.T) {
	var sent []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = w.Write([]byte(`[{"name":"same","updated_at":"1"},{"name":"other one","updated_at":"1"}]`))
			return
		}
		var got map[string]any
		_ = json.NewDecoder(r.Body).Decode(&got)
		body, _ := json.Marshal(got)
		sent = append(sent, r.Method+" "+r.URL.EscapedPath()+" "+string(body))
		updated := map[string]string{"same": "1"}[got["name"].(string)]
		_ = json.NewEncoder(w).Encode(map[string]any{"name": got["name"], "updated_at": updated})
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "alerts.yaml")
	run := func(text string, args ...string) (int, string) {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		var out, err bytes.Buffer
		code := Run(t.Context(), append([]string{"alerts", "apply", file, "--url", server.URL}, args...), Stores{}, strings.NewReader(""), &out, &err)
		return code, out.String() + err.String()
	}
	const text = `
alerts:
- {name: same, metric: spans}
- {name: other one, metric: spans}
- {name: new, metric: spans, targets: [{name: t, type: slack, url: "https://x.example/${TOKEN_OF_TEST}"}]}
`
	code, out := run(text)
	require.Equal(t, ExitUsage, code)
	require.Contains(t, out, "TOKEN_OF_TEST is not set")
	require.Empty(t, sent)
	t.Setenv("TOKEN_OF_TEST", "$ecret")
	code, out = run(text)
	require.Equal(t, ExitOK, code, out)
	require.Equal(t, "  same (unchanged)\n~ other one\n+ new\n", out)
	require.Equal(t, []string{
		`PUT /v2/alerts/same {"metric":"spans","name":"same"}`,
		`PUT /v2/alerts/other%20one {"metric":"spans","name":"other one"}`,
		`POST /v2/alerts {"metric":"spans","name":"new","targets":[{"name":"t","type":"slack","url":"https://x.example/$ecret"}]}`,
	}, sent)
	code, out = run(text, "-o", "json")
	require.Equal(t, ExitOK, code)
	require.Contains(t, out, `"action":`)
	for text, want := range map[string]string{"": "must hold an alert", "[{metric: spans}]": "has no name", "[{name: a}, {name: a}]": "is in"} {
		code, out = run(text)
		require.Equal(t, ExitUsage, code)
		require.Contains(t, out, want)
	}
}
