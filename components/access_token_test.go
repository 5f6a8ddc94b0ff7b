// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
)

// A gateway that is given no access token takes the one that was made for its control
// store, of which that has the digest alone; without any it says what is to be done.
func TestTheAccessTokenOfAFleetIsInItsControlStore(t *testing.T) {
	t.Parallel()
	spans, control := clickhousetest.Database(t, t.Name()), postgrestest.One(t).Database(t)
	h := newCollector(t, t.TempDir())
	delete(h.Env, "TOUCHSTONE_DATA_DIR")
	h.Env["TOUCHSTONE_CLICKHOUSE"], h.Env["TOUCHSTONE_POSTGRES"], h.Env["TOUCHSTONE_ACCESS_TOKEN"] = spans, control, ""
	_, told, err := h.configured(t, "--config=../config/gateway.yaml")
	require.Error(t, err)
	require.Contains(t, told, "set one, or run touchstone access-token")

	token, told, err := h.configured(t, "access-token", "--config", "../config/gateway.yaml")
	require.NoError(t, err, told)
	token = strings.TrimSpace(token)
	require.Regexp(t, `^[A-Za-z0-9_-]{43}$`, token)
	h.run(t, "../config/gateway.yaml")
	require.NoError(t, h.AwaitReady(t.Context()))
	code, answer := h.call(t, http.MethodPost, "/v2/organizations", token, map[string]any{"org_name": "ours"})
	require.Less(t, code, 300, "%s", answer)
	code, _ = h.call(t, http.MethodPost, "/v2/organizations", accessToken, map[string]any{"org_name": "theirs"})
	require.Equal(t, http.StatusUnauthorized, code)
	require.NotContains(t, h.Output(), token)
}

// A configuration that names an access token itself has collectors take that one: who
// makes another in the control store reads that it is good for nothing there.
func TestAnAccessTokenThatNobodyTakesIsToldOf(t *testing.T) {
	t.Parallel()
	h := newCollector(t, t.TempDir())
	for setting, own := range map[string]string{"access_token": accessToken, "access_token_file": ""} {
		h.Env["TOUCHSTONE_ACCESS_TOKEN"] = own
		out, told, err := h.configured(t, "access-token", "--config", "../config.yaml")
		require.NoError(t, err, told)
		require.Regexp(t, `^[A-Za-z0-9_-]{43}\n$`, out)
		require.Equal(t, "touchstone: a collector with this configuration does not take the token, since extensions::keyauth::"+setting+" names another\n", told)
	}
}
