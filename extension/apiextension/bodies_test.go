// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBodiesAreOneJSONObject(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	for _, target := range []struct{ method, path, credential string }{
		{"POST", organizationsPath, accessToken},
		{"POST", execute, key},
		{"POST", setupsPath, key},
		{"PUT", setupsPath + "/x", key},
		{"POST", setupsPath + "/bulk", key},
		{"POST", setupsPath + "/preview", key},
		{"POST", "/v2/metrics", key},
		{"POST", searchPath, key},
		{"POST", evaluatorsPath, key},
		{"POST", tryPath, key},
		{"PATCH", evaluatorsPath + "/x", key},
		{"POST", evaluatorsPath + "/char-count/executions", key},
		{"POST", evaluatorsPath + "/char-count/execute-span", key},
		{"POST", guards + "char-count/execute", key},
	} {
		for _, body := range []string{
			" ", "null", "[]", `[{}]`, `"{}"`, "7", "{", "{}x", "{}{}", `{"a":}`, "\x00", "\xff", `{"a":1,}`, "{'a':1}",
			`{"a":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, "<xml/>",
		} {
			r := h.call(t, target.method, target.path, target.credential, body)
			require.Equal(t, http.StatusBadRequest, r.status, "%s %.50q", target.path, body)
			require.Contains(t, r.message(t), "request body")
		}
		r := h.send(t, target.method, target.path, http.Header{"Authorization": {"Bearer " + target.credential}}, nil)
		require.Equal(t, http.StatusBadRequest, r.status)
		require.Contains(t, r.message(t), "request body is required")
	}
}

func TestKeysAreReadInAnyCase(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	r := h.callUndocumented(t, "POST", organizationsPath, accessToken, `{"Org_Name":"Acme","ENVS":["dev"]}`)
	require.Equal(t, http.StatusCreated, r.status, r.body)
	key := into[organizationAnswer](t, r).Environments[0].APIKey
	r = h.callUndocumented(t, "POST", execute, key, `{"Input":{"text":"abc"}}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
	r = h.callUndocumented(t, "POST", setupsPath, key, `{"External_ID":"m","Evaluators":[{"Evaluator_Type":"char-count"}],"SELECTOR":[{"Key":"a","SOURCE":"span_attributes","Value":"x"}]}`)
	require.Equal(t, http.StatusCreated, r.status, r.body)
	r = h.callUndocumented(t, "PUT", setupsPath+"/m", key, `{"Selector":{}}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
	require.Contains(t, r.body, `"init_rules":[]`)
}

func TestBodyTypes(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	const body = `{"input":{"text":"abc"}}`
	for kind, want := range map[string]int{
		"application/json":                  http.StatusOK,
		"Application/JSON; charset=UTF-8":   http.StatusOK,
		"application/x-www-form-urlencoded": http.StatusUnsupportedMediaType,
		"text/plain":                        http.StatusUnsupportedMediaType,
		"application/jsonx":                 http.StatusUnsupportedMediaType,
		"text/foo+json":                     http.StatusUnsupportedMediaType,
		";;":                                http.StatusUnsupportedMediaType,
	} {
		r := h.send(t, "POST", execute, http.Header{"Authorization": {"Bearer " + key}, "Content-Type": {kind}}, []byte(body))
		require.Equal(t, want, r.status, kind)
		if want == http.StatusUnsupportedMediaType {
			require.Contains(t, r.message(t), "Content-Type must be application/json")
		}
	}
}

func TestBodiesMayBeCompressed(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	_, err := zip.Write([]byte(`{"input":{"text":"abc"}}`))
	require.NoError(t, err)
	require.NoError(t, zip.Close())
	header := http.Header{"Authorization": {"Bearer " + key}, "Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}
	r := h.send(t, "POST", execute, header.Clone(), b.Bytes())
	require.Equal(t, http.StatusOK, r.status, r.body)
	require.JSONEq(t, `{"char_count":3,"reason":"The text has 3 characters."}`, r.body)

	r = h.send(t, "POST", execute, header.Clone(), []byte("not gzip"))
	require.Equal(t, http.StatusBadRequest, r.status)
	require.Contains(t, r.message(t), "Content-Encoding")
	r = h.send(t, "POST", execute, header.Clone(), b.Bytes()[:b.Len()-9])
	require.Equal(t, http.StatusBadRequest, r.status)
	require.Contains(t, r.message(t), "request body cannot be read")
	header.Set("Content-Encoding", "br")
	require.Equal(t, http.StatusBadRequest, h.send(t, "POST", execute, header.Clone(), b.Bytes()).status)

	b.Reset() // a bomb: 4 MiB of zeros and more in a few bytes
	zip.Reset(&b)
	_, err = zip.Write(make([]byte, defaultMaxBody+1))
	require.NoError(t, err)
	require.NoError(t, zip.Close())
	header.Set("Content-Encoding", "gzip")
	require.Equal(t, http.StatusRequestEntityTooLarge, h.send(t, "POST", execute, header.Clone(), b.Bytes()).status)
}

func TestBodiesHaveALimit(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	body := `{"input":{"text":"` + strings.Repeat("x", defaultMaxBody) + `"}}`
	r := h.call(t, "POST", execute, key, body)
	require.Equal(t, http.StatusRequestEntityTooLarge, r.status)
	require.Contains(t, r.message(t), "4194304 bytes")
	r = h.call(t, "POST", setupsPath, key, body)
	require.Equal(t, http.StatusRequestEntityTooLarge, r.status)
	r = h.call(t, "POST", searchPath, key, `{"x":"`+strings.Repeat("x", 256<<10)+`"}`)
	require.Equal(t, http.StatusRequestEntityTooLarge, r.status, "it only reads")
	require.Contains(t, r.message(t), "262144 bytes")
}

func TestEveryFieldThatIsWrongIsTold(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	r := h.call(t, "POST", setupsPath, key, `{"external_id":"m","evaluators":[{"evaluator_type":"char-count","sample_rate":2}],"selector":[{"key":7,"source":"x"}],"min_spans":0}`)
	require.Equal(t, http.StatusBadRequest, r.status)
	require.Equal(t, "evaluators[0].sample_rate must be a number above 0 and at most 1; min_spans must be a whole number from 1 to 1000000; "+
		"selector[0].key must be a string; selector[0].source must be one of span_attributes, resource_attributes", r.message(t))
}

// What a name must not have a text may: it is kept to the letter.
func TestTextsOfBodiesMayHaveNUL(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	const text = "a\u0000\\x00\uFFFD😀b"
	h.create(t, key, `{"external_id":"m","evaluators":["char-count"],"selector":[{"key":"k","source":"span_attributes","value":"a\u0000\\x00\ud800\ud83d\ude00b"}]}`)
	var kept struct {
		Rules []struct{ Value string } `json:"init_rules"`
	}
	require.NoError(t, json.Unmarshal([]byte(h.call(t, "GET", setupsPath+"/m", key, "").body), &kept))
	require.Equal(t, text, kept.Rules[0].Value)

	h.define(t, key, strings.Replace(qualityJudge, `Tells good from bad.`, `a\u0000\\x00\ud800\ud83d\ude00b`, 1))
	require.Equal(t, text, h.shown(t, key, "quality-judge").Description)
	for path, body := range map[string]string{
		setupsPath:     `{"external_id":"a\u0000b","evaluators":["char-count"]}`,
		evaluatorsPath: strings.Replace(qualityJudge, `"mode":`, `"slug":"a\u0000b","mode":`, 1),
	} {
		require.Equal(t, http.StatusBadRequest, h.call(t, "POST", path, key, body).status, path)
	}
}
