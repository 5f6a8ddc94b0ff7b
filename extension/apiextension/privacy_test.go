// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/deletions"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const deletionPath = "/api/config/privacy/data-deletion"

// The calls are those that the original documents.
func TestPeoplesDataIsDeletedOnRequest(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	env, err := h.live.Key(t.Context(), tenant.DigestOf(key))
	require.NoError(t, err)
	var records []store.Record
	for n := range 12 {
		s := storetest.Span(env.Environment, n)
		s.Start = time.Now().UnixNano()
		s.Attributes = storetest.Attributes("traceloop.association.properties.userId", "123")
		records = append(records, storetest.Record(env.Environment, s))
	}
	require.NoError(t, storetest.Write(t.Context(), h.spans, records))
	r := h.call(t, http.MethodDelete, deletionPath, key, `{"associationProperties":[{"userId":"123"}]}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
	id := into[map[string]string](t, r)["requestId"]
	status := func(credential string) reply {
		return h.call(t, http.MethodGet, deletionPath+"?requestId="+id, credential, "")
	}
	require.JSONEq(t, `{"completed":false,"deleted":"0","total":"0"}`, status(key).body)
	require.NoError(t, h.gone.Round(t.Context()))
	require.JSONEq(t, `{"completed":false,"deleted":"12","total":"12"}`, status(key).body)
	later := deletions.New(h.spans, h.live, "test", func() {}, func() time.Time { return time.Now().Add(deletions.Arriving) })
	require.NoError(t, later.Round(t.Context()))
	require.JSONEq(t, `{"completed":true,"deleted":"12","total":"12"}`, status(key).body)
	require.Equal(t, http.StatusNotFound, status(h.newKey(t)).status, "it is another's")
}

func TestBadDeletionsAreRefused(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	for body, message := range map[string]string{
		`{}`:                             "associationProperties is required",
		`{"associationProperties":[]}`:   "associationProperties must contain at least one item",
		`{"associationProperties":[{}]}`: "associationProperties[0] must contain at least one item",
		`{"associationProperties":[{"userId":{}}]}`: "associationProperties[0].userId must be a string, a number or a boolean",
		`{"associationProperties":[{"userId":""}]}`: "associationProperties[0]: names and values of properties must not be empty, and at most 2048 bytes long together",
		`{"associationProperties":"everybody"}`:     "associationProperties must be an array",
	} {
		r := h.call(t, http.MethodDelete, deletionPath, key, body)
		require.Equal(t, http.StatusBadRequest, r.status, body)
		require.Equal(t, message, r.message(t), body)
	}
	require.Equal(t, http.StatusBadRequest, h.call(t, http.MethodGet, deletionPath, key, "").status)
	require.Equal(t, http.StatusForbidden, h.call(t, http.MethodGet, deletionPath+"?requestId=x", accessToken, "").status)
	require.Equal(t, http.StatusUnauthorized, h.call(t, http.MethodDelete, deletionPath, "", `{"associationProperties":[{"a":"b"}]}`).status)
	require.Equal(t, http.StatusNotFound, h.call(t, http.MethodGet, deletionPath+"?requestId=x", key, "").status)
}
