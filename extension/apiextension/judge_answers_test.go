// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

// junk is how a judge may answer what it was not asked for. Every text has the word
// that no caller may read.
func junk(t *testing.T) map[string]modeltest.Step {
	t.Helper()
	raw := func(kind, body string) modeltest.Step { return modeltest.Raw(http.StatusOK, kind, body) }
	deep := strings.Repeat("[", 1000) + `"SECRET"` + strings.Repeat("]", 1000)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for range 64 {
		_, err := z.Write(bytes.Repeat([]byte(" "), 1<<20))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return map[string]modeltest.Step{
		"redirect":                modeltest.Header("Location", "http://127.0.0.1:1/SECRET", modeltest.Raw(http.StatusTemporaryRedirect, "", "SECRET")),
		"redirect to nowhere":     modeltest.Raw(http.StatusMovedPermanently, "", "SECRET"),
		"nothing":                 raw("application/json", ""),
		"no content":              modeltest.Raw(http.StatusNoContent, "", ""),
		"web page":                raw("text/html", "<html>SECRET</html>"),
		"text":                    raw("text/plain", "SECRET"),
		"image":                   raw("image/png", "SECRET"),
		"no type":                 raw("", "SECRET"),
		"garbage":                 modeltest.Garbage(),
		"truncated":               modeltest.Truncated(),
		"null":                    raw("application/json", "null"),
		"list":                    raw("application/json", `["SECRET"]`),
		"number":                  raw("application/json", "1e999"),
		"no choices":              raw("application/json", `{"choices":[],"SECRET":1}`),
		"choices of a wrong type": raw("application/json", `{"choices":"SECRET"}`),
		"invalid UTF-8":           raw("application/json", "{\"choices\":\"\xff\xfeSECRET\"}"),
		"thousand levels":         raw("application/json", deep),
		"64 MiB packed":           modeltest.Header("Content-Encoding", "gzip", raw("application/json", packed.String())),
		"not packed":              modeltest.Header("Content-Encoding", "gzip", raw("application/json", "SECRET")),
		"5 MB":                    raw("application/json", strings.Repeat("SECRET", 900_000)),
		"refused credential":      modeltest.Status(http.StatusUnauthorized, "SECRET"),
		"unknown model":           modeltest.Status(http.StatusNotFound, "SECRET"),
		"unknown status":          modeltest.Raw(699, "text/plain", "SECRET"),
		"dropped":                 modeltest.Dropped(),
		"broken":                  modeltest.Broken(),
		"refusal":                 modeltest.Refusal("SECRET"),
		"cut off":                 modeltest.CutOff(`{"reason":"SECRET`),
		"empty verdict":           modeltest.Content(""),
		"verdict null":            modeltest.Content("null"),
		"verdict as prose":        modeltest.Content("SECRET"),
		"verdict of two":          modeltest.Content(`{"reason":"SECRET","label":"bad","pass":false}{"reason":"","label":"good","pass":true}`),
		"key twice":               modeltest.Content(`{"reason":"SECRET","label":"bad","pass":false,"pass":true}`),
		"wrong types":             modeltest.Content(`{"reason":7,"label":["SECRET"],"pass":"yes"}`),
		"unknown label":           modeltest.Content(`{"reason":"r","label":"SECRET","pass":false}`),
		"output missing":          modeltest.Content(`{"reason":"SECRET","label":"bad"}`),
		"output that is null":     modeltest.Content(`{"reason":"SECRET","label":"bad","pass":null}`),
		"output too many":         modeltest.Content(`{"reason":"SECRET","label":"bad","pass":true,"SECRET":1}`),
		"verdict of levels":       modeltest.Content(`{"reason":` + deep + `,"label":"bad","pass":true}`),
		"verdict only of levels":  modeltest.Content(deep),
		"verdict of a number":     modeltest.Content("1e999"),
		"verdict not in UTF-8":    modeltest.Content("{\"reason\":\"SECRET\xff\",\"label\":\"bad\xff\",\"pass\":true}"),
	}
}

// Whatever a judge answers, who asked gets one sentence that quotes nothing of it, and
// never learns that it was we who failed.
func TestJunkOfAJudgeIsNoFailureOfOurs(t *testing.T) {
	t.Parallel()
	for name, step := range junk(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, _ := newJudgedTestAPI(t, step)
			key := h.newKey(t)
			h.define(t, key, qualityJudge)
			execution := h.begin(t, key, "quality-judge", `{"input_schema_mapping":{"text":{"source":"x"}}}`)
			for _, r := range []reply{
				h.call(t, "POST", evaluatorsPath+"/quality-judge/execute", key, `{"input":{"text":"x"}}`),
				h.call(t, "POST", "/v2/guardrails/quality-judge/execute", key, `{"input":{"text":"x"}}`),
				h.stream(t, key, execution),
			} {
				require.Contains(t, []int{http.StatusBadGateway, http.StatusServiceUnavailable}, r.status, r.body)
				require.Contains(t, r.message(t), `the model "test" `)
				require.NotContains(t, r.body, "SECRET")
				require.Less(t, len(r.body), 200)
			}
		})
	}
}
