// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type viewAnswer struct {
	Name      string    `json:"name"`
	Screen    string    `json:"screen"`
	Query     string    `json:"query"`
	UpdatedAt time.Time `json:"updated_at"`
}

func TestViewsAreSharedWithinTheEnvironment(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	org, keys := h.newOrganization(t, "prd", "dev")
	reader := into[keyAnswer](t, h.operator(t, "POST", org+"/environments/prd/keys", `{"name":"r","scope":"read"}`, http.StatusCreated)).APIKey
	const path = "/v2/views/slow%20%26%20dear"
	for _, query := range []string{"t=24h", "t=7d&sort=cost"} {
		r := h.call(t, "PUT", path, keys[0], `{"screen":"spans","query":"`+query+`"}`)
		require.Equal(t, http.StatusOK, r.status, "%s", r.body)
	}
	saved := into[[]viewAnswer](t, h.call(t, "GET", "/v2/views", reader, ""))
	require.Len(t, saved, 1)
	require.WithinDuration(t, h.now(), saved[0].UpdatedAt, time.Minute)
	require.Equal(t, viewAnswer{"slow & dear", "spans", "t=7d&sort=cost", saved[0].UpdatedAt}, saved[0])
	require.Empty(t, into[[]viewAnswer](t, h.call(t, "GET", "/v2/views", keys[1], "")))

	for body, want := range map[string]string{
		`{"query":""}`:                    "screen is required",
		`{"screen":"health","query":"a"}`: "screen must be one of",
		`{"screen":"spans"}`:              "query is required",
		`{"screen":"spans","query":"` + strings.Repeat("x", 8193) + `"}`: "query must",
	} {
		r := h.call(t, "PUT", path, keys[0], body)
		require.Equal(t, http.StatusBadRequest, r.status, "%.60s", body)
		require.Contains(t, r.message(t), want)
	}
	r := h.call(t, "PUT", "/v2/views/"+strings.Repeat("x", 81), keys[0], `{"screen":"spans","query":"t=1h"}`)
	require.Equal(t, http.StatusBadRequest, r.status)

	require.Equal(t, http.StatusForbidden, h.call(t, "DELETE", path, reader, "").status)
	require.Equal(t, http.StatusNotFound, h.call(t, "DELETE", path, keys[1], "").status)
	require.Equal(t, http.StatusNoContent, h.call(t, "DELETE", path, keys[0], "").status)
	require.Empty(t, into[[]viewAnswer](t, h.call(t, "GET", "/v2/views", keys[0], "")))
}
