// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const organizationsPath = "/v2/organizations"

func TestOrganizationHasItsEnvironmentsInOrder(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	r := h.call(t, "POST", organizationsPath, accessToken, `{"org_name":" Acme é ","envs":["stg"," prd ","Dev_2.x-y"],"retention_hours":24}`)
	require.Equal(t, http.StatusCreated, r.status, r.body)
	require.Equal(t, "no-store", r.header.Get("Cache-Control"))
	made := into[organizationAnswer](t, r)
	var slugs []string
	for _, e := range made.Environments {
		slugs = append(slugs, e.Slug)
		require.Regexp(t, `^tl_[A-Za-z0-9_-]{43}$`, e.APIKey)
		key, err := h.live.Key(t.Context(), tenant.DigestOf(e.APIKey))
		require.NoError(t, err)
		require.Equal(t, e.Slug, key.Environment.Slug)
		require.Equal(t, made.ID, key.Environment.OrganizationID)
		require.Equal(t, "24h0m0s", key.Environment.Retention.String())
		require.Equal(t, http.StatusOK, h.call(t, "GET", setupsPath, e.APIKey, "").status)
	}
	require.Equal(t, []string{"stg", "prd", "Dev_2.x-y"}, slugs)
}

func TestOrganizationDefaults(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	for _, body := range []string{
		`{"org_name":"Acme"}`,
		`{"org_name":"Acme","envs":[]}`,
		`{"org_name":"Acme","envs":null,"retention_hours":null}`,
		`{"org_name":"Acme","retention_hours":720.0,"unknown":{"a":[1]}}`,
		`{"org_name":"Acme","retention_hours":7.2e2}`,
	} {
		r := h.call(t, "POST", organizationsPath, accessToken, body)
		require.Equal(t, http.StatusCreated, r.status, r.body)
		made := into[organizationAnswer](t, r)
		require.Len(t, made.Environments, 1)
		require.Equal(t, "prd", made.Environments[0].Slug)
		key, err := h.live.Key(t.Context(), tenant.DigestOf(made.Environments[0].APIKey))
		require.NoError(t, err)
		require.Equal(t, "720h0m0s", key.Environment.Retention.String())
	}
}

func TestOrganizationIsRefusedNamingTheField(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	for body, start := range map[string]string{
		`{}`:                      "org_name is required",
		`{"org_name":null}`:       "org_name is required",
		`{"org_name":" \t "}`:     "org_name is required",
		`{"org_name":7}`:          "org_name must be a string",
		`{"org_name":"a\u0000b"}`: "org_name must not",
		`{"org_name":"` + strings.Repeat("é", 256) + `"}`:                        "org_name must be at most",
		`{"org_name":"a","envs":"prd"}`:                                          "envs must be an array",
		`{"org_name":"a","envs":{}}`:                                             "envs must be an array",
		`{"org_name":"a","envs":[1]}`:                                            "envs[0] must be a string",
		`{"org_name":"a","envs":["x",null]}`:                                     "envs[1] must be a string",
		`{"org_name":"a","envs":["x",""]}`:                                       "envs[1] must not be blank",
		`{"org_name":"a","envs":["  "]}`:                                         "envs[0] must not be blank",
		`{"org_name":"a","envs":["a b"]}`:                                        "envs[0] must be 1 to 63",
		`{"org_name":"a","envs":["a/b"]}`:                                        "envs[0] must be 1 to 63",
		`{"org_name":"a","envs":["a\u0000"]}`:                                    "envs[0] must be 1 to 63",
		`{"org_name":"a","envs":["-a"]}`:                                         "envs[0] must be 1 to 63",
		`{"org_name":"a","envs":["` + strings.Repeat("a", 64) + `"]}`:            "envs[0] must be 1 to 63",
		`{"org_name":"a","envs":["x","y"," x"]}`:                                 "envs[2] is the same as envs[0]",
		`{"org_name":"a","envs":["` + strings.Repeat(`a","`, 100) + `"]}`:        "envs must have at most 100",
		`{"org_name":"a","retention_hours":0}`:                                   "retention_hours must",
		`{"org_name":"a","retention_hours":721}`:                                 "retention_hours must",
		`{"org_name":"a","retention_hours":-1}`:                                  "retention_hours must",
		`{"org_name":"a","retention_hours":1.5}`:                                 "retention_hours must",
		`{"org_name":"a","retention_hours":"24"}`:                                "retention_hours must be a whole number from 1 to 720, got a string",
		`{"org_name":"a","retention_hours":true}`:                                "retention_hours must",
		`{"org_name":"a","retention_hours":1e999}`:                               "retention_hours must",
		`{"org_name":"a","retention_hours":99999999999999999999999999999999999}`: "retention_hours must",
		`{"org_name":"a","retention_hours":[24]}`:                                "retention_hours must",
	} {
		r := h.call(t, "POST", organizationsPath, accessToken, body)
		require.Equal(t, http.StatusBadRequest, r.status, body)
		require.Truef(t, strings.HasPrefix(r.message(t), start), "%s: %s", body, r.body)
	}
}

func TestOnlyTheOperatorMakesOrganizations(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	r := h.call(t, "POST", organizationsPath, key, `not even JSON`)
	require.Equal(t, http.StatusForbidden, r.status)
	require.JSONEq(t, `{"error":"Not allowed to create organizations"}`, r.body)

	for _, route := range [][2]string{
		{"POST", "/v2/evaluators/char-count/execute"},
		{"POST", "/v2/evaluators/unknown/execute"},
		{"POST", setupsPath},
		{"GET", setupsPath},
		{"GET", setupsPath + "/x"},
		{"PUT", setupsPath + "/x"},
		{"DELETE", setupsPath + "/x"},
		{"GET", "/v2/warehouse/spans?from_timestamp_sec=1"},
	} {
		r := h.call(t, route[0], route[1], accessToken, "")
		require.Equal(t, http.StatusForbidden, r.status, route)
		require.NotEmpty(t, r.message(t))
	}
}
