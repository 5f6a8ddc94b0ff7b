// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store/usage"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

type keyAnswer struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	Scope      string    `json:"scope"`
	Status     string    `json:"status"`
	CreatedAt  time.Time `json:"created_at"`
	ExpiresAt  time.Time `json:"expires_at"`
	LastUsedAt time.Time `json:"last_used_at"`
	RevokedAt  time.Time `json:"revoked_at"`
	APIKey     string    `json:"api_key"`
}

type quotaAnswer struct {
	SpansPerSecond    int64 `json:"spans_per_second"`
	BytesPerSecond    int64 `json:"bytes_per_second"`
	ConcurrentQueries int64 `json:"concurrent_queries"`

	StoredBytes     int64   `json:"stored_bytes"`
	OwedEvaluations int64   `json:"owed_evaluations"`
	DollarsPerDay   float64 `json:"dollars_per_day"`
}

type environmentRecord struct {
	ID             string      `json:"id"`
	Slug           string      `json:"slug"`
	RetentionHours int         `json:"retention_hours"`
	Quota          quotaAnswer `json:"quota"`
	Usage          usage.Usage `json:"usage"`
	APIKey         string      `json:"api_key"`
	KeyID          string      `json:"key_id"`
	StoredSpans    *int64      `json:"stored_spans"`
	LastUsedAt     time.Time   `json:"last_used_at"`
}

type organizationRecord struct {
	ID             string              `json:"id"`
	Name           string              `json:"name"`
	RetentionHours int                 `json:"retention_hours"`
	Status         string              `json:"status"`
	CreatedAt      time.Time           `json:"created_at"`
	DeletedAt      *time.Time          `json:"deleted_at"`
	ErasedAt       *time.Time          `json:"erased_at"`
	Environments   []environmentRecord `json:"environments"`
}

type meAnswer struct {
	Kind         string             `json:"kind"`
	Organization map[string]string  `json:"organization"`
	Environment  *environmentRecord `json:"environment"`
	Scope        string             `json:"scope"`
	KeyID        string             `json:"key_id"`
	Models       map[string]bool    `json:"models"`
	Version      string             `json:"version"`
}

// operator calls with the access token and wants this status.
func (h *testAPI) operator(t *testing.T, method, path, body string, status int) reply {
	t.Helper()
	r := h.call(t, method, path, accessToken, body)
	require.Equal(t, status, r.status, "%s %s: %s", method, path, r.body)
	return r
}

// newOrganization makes an organization and gives the path to it and the keys of
// its environments.
func (h *testAPI) newOrganization(t *testing.T, slugs ...string) (path string, keys []string) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"org_name": "Acme", "envs": slugs, "retention_hours": 48})
	require.NoError(t, err)
	made := into[organizationAnswer](t, h.operator(t, "POST", organizationsPath, string(text), http.StatusCreated))
	for _, e := range made.Environments {
		keys = append(keys, e.APIKey)
	}
	return organizationsPath + "/" + made.ID, keys
}

func TestKeysAreMadeListedAndRevoked(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	org, first := h.newOrganization(t, "prd", "dev")
	keys := org + "/environments/prd/keys"
	r := h.operator(t, "POST", keys, `{"name":" CI ","scope":"read","expires_at":"2100-01-02T03:04:05.006789Z"}`, http.StatusCreated)
	require.Equal(t, "no-store", r.header.Get("Cache-Control"))
	made := into[keyAnswer](t, r)
	require.Equal(t, "CI", made.Name)
	require.Equal(t, "read", made.Scope)
	require.Equal(t, "active", made.Status)
	require.Equal(t, time.Date(2100, 1, 2, 3, 4, 5, 6e6, time.UTC), made.ExpiresAt)
	require.Equal(t, http.StatusOK, h.call(t, "GET", setupsPath, made.APIKey, "").status)
	require.NoError(t, h.live.NoteUses(t.Context()))

	list := into[map[string][]keyAnswer](t, h.operator(t, "GET", keys, "", http.StatusOK))["keys"]
	require.Len(t, list, 2)
	require.Equal(t, []string{"default", "full"}, []string{list[0].Name, list[0].Scope})
	require.Equal(t, made.ID, list[1].ID)
	require.WithinDuration(t, time.Now(), list[1].LastUsedAt, 2*time.Minute)
	for _, k := range list {
		require.Empty(t, k.APIKey, "the text is shown once")
	}

	h.operator(t, "DELETE", keys+"/"+made.ID, "", http.StatusNoContent)
	require.Equal(t, http.StatusUnauthorized, h.call(t, "GET", setupsPath, made.APIKey, "").status)
	h.operator(t, "DELETE", keys+"/"+made.ID, "", http.StatusNoContent)
	list = into[map[string][]keyAnswer](t, h.operator(t, "GET", keys, "", http.StatusOK))["keys"]
	require.Equal(t, "revoked", list[1].Status)
	require.False(t, list[1].RevokedAt.IsZero())
	for _, key := range first {
		require.Equal(t, http.StatusOK, h.call(t, "GET", setupsPath, key, "").status, "the others work")
	}

	// No one reaches a key from another environment, or another organization.
	for _, path := range []string{org + "/environments/dev/keys/", org + "/environments/none/keys/", organizationsPath + "/none/environments/prd/keys/"} {
		h.operator(t, "DELETE", path+list[0].ID, "", http.StatusNotFound)
	}
	h.operator(t, "DELETE", keys+"/none", "", http.StatusNotFound)
}

// The holder of a full key has keys of its environment made and revoked, of no other one.
func TestKeysOfTheOwnEnvironment(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	org, keys := h.newOrganization(t, "prd", "dev")
	const path = "/v2/keys"
	r := h.call(t, "POST", path, keys[0], `{"name":"CI","scope":"ingest"}`)
	require.Equal(t, http.StatusCreated, r.status, "%s", r.body)
	require.Equal(t, "no-store", r.header.Get("Cache-Control"))
	made := into[keyAnswer](t, r)
	require.Equal(t, http.StatusForbidden, h.call(t, "GET", path, made.APIKey, "").status)
	list := func(key string) []keyAnswer {
		return into[map[string][]keyAnswer](t, h.call(t, "GET", path, key, ""))["keys"]
	}
	require.Len(t, list(keys[0]), 2)
	require.Len(t, list(keys[1]), 1)
	require.Equal(t, list(keys[0]), into[map[string][]keyAnswer](t, h.operator(t, "GET", org+"/environments/prd/keys", "", http.StatusOK))["keys"])
	require.Contains(t, h.call(t, "POST", path, keys[0], `{"name":"a","scope":"admin"}`).message(t), "scope must be one of")

	require.Equal(t, http.StatusNotFound, h.call(t, "DELETE", path+"/"+made.ID, keys[1], "").status)
	require.Equal(t, http.StatusNoContent, h.call(t, "DELETE", path+"/"+made.ID, keys[0], "").status)
	require.Equal(t, "revoked", list(keys[0])[1].Status)
	r = h.call(t, "DELETE", path+"/"+list(keys[0])[0].ID, keys[0], "")
	require.Equal(t, http.StatusConflict, r.status)
	require.Contains(t, r.message(t), "a key cannot revoke itself")
}

// The holder of a full key sets how long its environment keeps spans, up to what the operator set.
func TestRetentionOfTheOwnEnvironment(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	org, keys := h.newOrganization(t, "prd", "dev")
	h.operator(t, "PATCH", org, `{"retention_hours":100}`, http.StatusOK)
	const path = "/v2/retention"
	get := func(key string) string { return h.call(t, "GET", path, key, "").body }
	require.JSONEq(t, `{"retention_hours":100,"max_retention_hours":100}`, get(keys[0]))
	r := h.call(t, "PUT", path, keys[0], `{"retention_hours":24}`)
	require.Equal(t, http.StatusOK, r.status, "%s", r.body)
	require.JSONEq(t, `{"retention_hours":24,"max_retention_hours":100}`, r.body)
	require.JSONEq(t, `{"retention_hours":24,"max_retention_hours":100}`, get(keys[0]))
	require.JSONEq(t, `{"retention_hours":100,"max_retention_hours":100}`, get(keys[1]), "of another environment")
	require.Contains(t, h.call(t, "GET", "/v2/me", keys[0], "").body, `"retention_hours":24`)
	for body, message := range map[string]string{
		`{"retention_hours":101}`: "retention_hours must be at most 100",
		`{"retention_hours":0}`:   "retention_hours must be",
		`{}`:                      "retention_hours is required",
	} {
		r = h.call(t, "PUT", path, keys[0], body)
		require.Equal(t, http.StatusBadRequest, r.status, body)
		require.Contains(t, r.message(t), message)
	}
	// The operator may give one environment more. It can keep that.
	h.operator(t, "PATCH", org+"/environments/prd", `{"retention_hours":200}`, http.StatusOK)
	require.JSONEq(t, `{"retention_hours":200,"max_retention_hours":200}`, h.call(t, "PUT", path, keys[0], `{"retention_hours":200}`).body)
}

func TestKeysAreRefusedNamingTheField(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	org, _ := h.newOrganization(t, "prd")
	for body, start := range map[string]string{
		`{}`:                               "name is required",
		`{"name":" "}`:                     "name is required",
		`{"name":"a\u0000"}`:               "name must not",
		`{"name":"a","scope":"admin"}`:     "scope must be one of full, ingest, read, sidecar",
		`{"name":"a","scope":7}`:           "scope must be",
		`{"name":"a","expires_at":"soon"}`: "expires_at must be a time in the future",
		`{"name":"a","expires_at":5}`:      "expires_at must be",
		`{"name":"a","expires_at":"2020-01-01T00:00:00Z"}`: "expires_at must be a time in the future",
		`{"name":"a","expires_at":"9999-01-01T00:00:00Z"}`: "expires_at must be a time in the future and before",
	} {
		r := h.operator(t, "POST", org+"/environments/prd/keys", body, http.StatusBadRequest)
		require.Truef(t, strings.HasPrefix(r.message(t), start), "%s: %s", body, r.body)
	}
	for i := 1; i < 100; i++ {
		h.operator(t, "POST", org+"/environments/prd/keys", fmt.Sprintf(`{"name":"%d"}`, i), http.StatusCreated)
	}
	r := h.operator(t, "POST", org+"/environments/prd/keys", `{"name":"one too many"}`, http.StatusConflict)
	require.Contains(t, r.message(t), "at most 100 keys")
}

// Every route is held against every scope, as the routes declare it.
func TestScopesAreEnforcedOnEveryRoute(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	org, _ := h.newOrganization(t, "prd")
	fill := strings.NewReplacer("{slug}", "char-count", "{name}", "x", "{id}", "y", "{trace_id}", "0", "{span_id}", "0", "{key_id}", "z")
	reads := map[string]bool{
		"POST /v2/metrics": true, "POST /v2/mappings/test": true, "POST /v2/auto-monitor-setups/preview": true, "POST /v2/warehouse/spans/search": true,
		"POST /v2/warehouse/spans/aggregate": true, "POST /v2/metrics/aggregate": true, "POST /v2/evaluations/aggregate": true,
		"POST /v2/evaluations/search": true, "POST /v2/warehouse/spans/group": true, "POST /v2/warehouse/spans/export": true,
		"POST /v2/projects/{project}/traces/root-spans": true, "POST /v2/projects/{project}/spans": true, "POST /v2/projects/{project}/spans/attributes/values": true,
	}
	const images = "/v2/traces/{trace_id}/spans/{span_id}/images"
	accompanying := map[string]bool{"/v1/traceloop/prompts": true, "/v1/traceloop/pii/tracing-allow-list": true, images: true, images + "/{name}": true}
	for _, scope := range []tenant.Scope{tenant.Full, tenant.Ingest, tenant.Read, tenant.Sidecar} {
		made := into[keyAnswer](t, h.operator(t, "POST", org+"/environments/prd/keys", fmt.Sprintf(`{"name":"k","scope":%q}`, scope), http.StatusCreated))
		for _, route := range routesOf(t) {
			if len(route.Credentials) == 0 {
				continue
			}
			if !slices.Contains(route.Credentials, "apiKey") {
				require.Equal(t, http.StatusForbidden, h.call(t, route.Method, fill.Replace(route.Path), made.APIKey, "").status, route.Path)
				continue
			}
			if scope == tenant.Full && route.Method != http.MethodGet || strings.HasSuffix(route.Path, "/stream") {
				continue // which would do it
			}
			r := h.call(t, route.Method, fill.Replace(route.Path), made.APIKey, "")
			allowed := scope == tenant.Full || accompanying[route.Path] || scope == tenant.Sidecar && route.Path == bundlePath || scope == tenant.Read && (route.Method == http.MethodGet || reads[route.Method+" "+route.Path])
			require.Equal(t, allowed, r.status != http.StatusForbidden, "%s %s %s: %d %s", scope, route.Method, route.Path, r.status, r.body)
			if !allowed {
				require.Contains(t, r.message(t), "the scope of this key is "+string(scope))
			}
		}
		require.Equal(t, http.StatusForbidden, h.call(t, "GET", org, made.APIKey, "").status)
	}
}

func TestOrganizationsAreListedAndChanged(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	org, keys := h.newOrganization(t, "prd", "dev")
	got := into[organizationRecord](t, h.operator(t, "GET", org, "", http.StatusOK))
	require.Equal(t, "Acme", got.Name)
	require.Equal(t, "active", got.Status)
	require.Equal(t, 48, got.RetentionHours)
	require.Len(t, got.Environments, 2)
	require.Equal(t, "dev", got.Environments[0].Slug)
	all := into[map[string][]organizationRecord](t, h.operator(t, "GET", organizationsPath, "", http.StatusOK))["organizations"]
	require.Equal(t, []organizationRecord{got}, all)

	require.Zero(t, *got.Environments[0].StoredSpans)
	require.Zero(t, got.Environments[0].LastUsedAt)

	changed := into[organizationRecord](t, h.operator(t, "PATCH", org, `{"name":" Acme 2 ","retention_hours":24}`, http.StatusOK))
	require.Equal(t, "Acme 2", changed.Name)
	for _, e := range changed.Environments {
		require.Equal(t, 24, e.RetentionHours)
	}
	require.Equal(t, changed, into[organizationRecord](t, h.operator(t, "PATCH", org, `{"name":null}`, http.StatusOK)))
	key, err := h.live.Key(t.Context(), tenant.DigestOf(keys[0]))
	require.NoError(t, err)
	require.Equal(t, 24*time.Hour, key.Environment.Retention, "at once")

	r := h.operator(t, "POST", org+"/environments", `{"slug":"stg","retention_hours":5}`, http.StatusCreated)
	require.Equal(t, "no-store", r.header.Get("Cache-Control"))
	stg := into[environmentRecord](t, r)
	require.Equal(t, 5, stg.RetentionHours)
	require.Equal(t, http.StatusOK, h.call(t, "GET", setupsPath, stg.APIKey, "").status)
	h.operator(t, "POST", org+"/environments", `{"slug":"stg"}`, http.StatusConflict)
	env := into[environmentRecord](t, h.operator(t, "PATCH", org+"/environments/stg", `{"quota":{"spans_per_second":10,"concurrent_queries":2}}`, http.StatusOK))
	require.Equal(t, quotaAnswer{SpansPerSecond: 10, ConcurrentQueries: 2}, env.Quota)
	env = into[environmentRecord](t, h.operator(t, "PATCH", org+"/environments/stg", `{"retention_hours":7,"quota":{"spans_per_second":0}}`, http.StatusOK))
	require.Equal(t, quotaAnswer{ConcurrentQueries: 2}, env.Quota)
	require.Equal(t, 7, env.RetentionHours)
	env = into[environmentRecord](t, h.operator(t, "PATCH", org+"/environments/stg",
		`{"quota":{"concurrent_queries":0,"stored_bytes":1000000,"owed_evaluations":500,"dollars_per_day":0.25}}`, http.StatusOK))
	require.Equal(t, quotaAnswer{StoredBytes: 1_000_000, OwedEvaluations: 500, DollarsPerDay: 0.25}, env.Quota)

	for path, bodies := range map[string]map[string]string{
		org:                       {`{"name":""}`: "name", `{"retention_hours":721}`: "retention_hours must", `{"name":"\u0001"}`: "name must not"},
		org + "/environments":     {`{}`: "slug is required", `{"slug":"a b"}`: "slug must be 1 to 63", `{"slug":"x","retention_hours":0}`: "retention_hours must"},
		org + "/environments/stg": {`{"quota":7}`: "quota must be", `{"quota":{"spans_per_second":-1}}`: "quota.spans_per_second must", `{"quota":{"dollars_per_day":-0.1}}`: "quota.dollars_per_day must", `{"quota":{"stored_bytes":1.5}}`: "quota.stored_bytes must"},
	} {
		method := "PATCH"
		if strings.HasSuffix(path, "/environments") {
			method = "POST"
		}
		for body, start := range bodies {
			r := h.operator(t, method, path, body, http.StatusBadRequest)
			require.Truef(t, strings.HasPrefix(r.message(t), start), "%s: %s", body, r.body)
		}
	}
	h.operator(t, "GET", organizationsPath+"/none", "", http.StatusNotFound)
	h.operator(t, "PATCH", organizationsPath+"/none", `{}`, http.StatusNotFound)
	h.operator(t, "PATCH", org+"/environments/none", `{}`, http.StatusNotFound)
}

// The operator sees which environments are in use, and how much they keep.
func TestOrganizationsTellTheUseOfTheirEnvironments(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.newKey(t) // of an unused organization
	l.write(t, 7, nil)
	second := into[keyAnswer](t, l.operator(t, "POST", organizationsPath+"/"+l.env.OrganizationID+"/environments/prd/keys", `{"name":"second"}`, http.StatusCreated))
	require.Equal(t, http.StatusOK, l.call(t, "GET", setupsPath, second.APIKey, "").status)
	require.NoError(t, l.live.NoteUses(t.Context()))
	all := into[map[string][]organizationRecord](t, l.operator(t, "GET", organizationsPath, "", http.StatusOK))["organizations"]
	require.Len(t, all, 2)
	for _, o := range all {
		e := o.Environments[0]
		if o.ID == l.env.OrganizationID {
			require.EqualValues(t, 7, *e.StoredSpans)
			require.WithinDuration(t, time.Now(), e.LastUsedAt, 2*time.Minute, "whichever key was used")
		} else {
			require.Zero(t, *e.StoredSpans)
			require.Zero(t, e.LastUsedAt)
		}
		require.Equal(t, o, into[organizationRecord](t, l.operator(t, "GET", organizationsPath+"/"+o.ID, "", http.StatusOK)))
	}
	require.Equal(t, http.StatusNoContent, l.call(t, "DELETE", organizationsPath+"/"+l.env.OrganizationID+"/environments/prd/keys/"+second.ID, accessToken, "").status)
	kept := into[organizationRecord](t, l.operator(t, "GET", organizationsPath+"/"+l.env.OrganizationID, "", http.StatusOK))
	require.False(t, kept.Environments[0].LastUsedAt.IsZero(), "a key that is revoked was used all the same")
}

func TestADeletedOrganizationIsOutOfReachAtOnce(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	org, keys := h.newOrganization(t, "prd")
	other := h.newKey(t)
	require.Equal(t, http.StatusCreated, h.call(t, "POST", setupsPath, keys[0], `{"external_id":"m","evaluators":["char-count"]}`).status)
	deleted := into[organizationRecord](t, h.operator(t, "DELETE", org, "", http.StatusAccepted))
	require.Equal(t, "deleting", deleted.Status)
	require.Equal(t, http.StatusUnauthorized, h.call(t, "GET", setupsPath, keys[0], "").status)
	for range h.live.All() {
		require.Fail(t, "a setup judges on")
	}
	require.Equal(t, deleted, into[organizationRecord](t, h.operator(t, "DELETE", org, "", http.StatusAccepted)))
	left := into[organizationRecord](t, h.operator(t, "GET", org, "", http.StatusOK))
	require.Zero(t, *left.Environments[0].StoredSpans, "what is left of it")
	left.Environments[0].StoredSpans = nil
	require.Equal(t, deleted, left)
	for _, x := range [][2]string{
		{"PATCH " + org, `{"name":"x"}`},
		{"POST " + org + "/environments", `{"slug":"x"}`},
		{"POST " + org + "/environments/prd/keys", `{"name":"x"}`},
		{"PATCH " + org + "/environments/prd", `{}`},
		{"GET " + org + "/environments/prd/keys", ""},
	} {
		method, path, _ := strings.Cut(x[0], " ")
		h.operator(t, method, path, x[1], http.StatusConflict)
	}
	require.Equal(t, http.StatusOK, h.call(t, "GET", setupsPath, other, "").status)
	h.operator(t, "DELETE", organizationsPath+"/none", "", http.StatusNotFound)
}

// everywhere provides a judge to every evaluator.
type everywhere struct{ judges }

func (e *everywhere) Models(string) eval.Models { return eval.Models{Judge: e.judge} }

// noJudge is a judge that is never asked.
type noJudge struct{ eval.JudgeModel }

func TestMe(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t, func(p *parts) {
		p.models, p.cfg.Models = &everywhere{judges{judge: noJudge{}}}, component.MustNewID("models")
	})
	org, keys := h.newOrganization(t, "prd")
	h.operator(t, "PATCH", org+"/environments/prd", `{"quota":{"bytes_per_second":1000}}`, http.StatusOK)
	got := into[meAnswer](t, h.call(t, "GET", "/v2/me", keys[0], ""))
	record := into[organizationRecord](t, h.operator(t, "GET", org, "", http.StatusOK))
	require.Positive(t, got.Environment.RetentionHours)
	require.Equal(t, usage.Usage{}, got.Environment.Usage)
	require.Equal(t, meAnswer{
		Kind: "environment", Organization: map[string]string{"id": record.ID, "name": "Acme"},
		Environment: &environmentRecord{ID: record.Environments[0].ID, Slug: "prd", RetentionHours: 48, Quota: quotaAnswer{BytesPerSecond: 1000}},
		Scope:       "full", KeyID: got.KeyID, Models: map[string]bool{"judge": true, "embedding": false, "classifier": false}, Version: "v-test",
	}, got)
	require.Len(t, got.KeyID, 36)
	operator := into[meAnswer](t, h.operator(t, "GET", "/v2/me", "", http.StatusOK))
	require.Equal(t, meAnswer{Kind: "operator", Models: got.Models, Version: "v-test"}, operator)
}

// auditLines returns the lines of the file that has the name of path with suffix.
func auditLines(t *testing.T, path, suffix string) (list []rest.Change) {
	t.Helper()
	path = strings.TrimSuffix(path, ".jsonl") + suffix + ".jsonl"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for line := range bytes.Lines(text) {
		var c rest.Change
		require.NoError(t, json.Unmarshal(line, &c))
		list = append(list, c)
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	return list
}

func actionsOf(list []rest.Change) (actions []string) {
	for i := range list {
		actions = append(actions, list[i].Action)
	}
	return actions
}

func TestChangesAreInTheAuditLogWithoutSecrets(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "logs", "audit.jsonl")
	h := newTestAPI(t, func(p *parts) { p.cfg.Audit.Path = path })
	org, keys := h.newOrganization(t, "prd")
	made := into[keyAnswer](t, h.operator(t, "POST", org+"/environments/prd/keys", `{"name":"CI","scope":"read"}`, http.StatusCreated))
	require.Equal(t, http.StatusCreated, h.call(t, "POST", setupsPath, keys[0], `{"external_id":"m","evaluators":["char-count"]}`).status)
	h.define(t, keys[0], strings.Replace(qualityJudge, "Evaluate:", "SESAME", 1))
	require.Equal(t, http.StatusForbidden, h.call(t, "DELETE", setupsPath+"/m", made.APIKey, "").status)
	require.Equal(t, http.StatusNoContent, h.call(t, "DELETE", setupsPath+"/m", keys[0], "").status)
	h.operator(t, "DELETE", org+"/environments/prd/keys/"+made.ID, "", http.StatusNoContent)
	require.Equal(t, http.StatusNotFound, h.call(t, "DELETE", setupsPath+"/m", keys[0], "").status, "which changes nothing")
	require.Equal(t, http.StatusUnauthorized, h.call(t, "GET", setupsPath+"/m", made.APIKey, "").status, "nor would that")
	require.Equal(t, http.StatusUnauthorized, h.call(t, "DELETE", setupsPath+"/m", made.APIKey, "").status)

	changes := auditLines(t, path, "")
	require.Equal(t, []string{"setup.create", "evaluator.create", "setup.delete"}, actionsOf(changes))
	require.Equal(t, rest.ByKey, changes[2].Actor)
	require.Len(t, changes[2].KeyID, 36)
	require.Equal(t, map[string]string{"name": "m"}, changes[2].Subject)
	operators := auditLines(t, path, "-operator")
	require.Equal(t, []string{"organization.create", "key.create", "key.revoke"}, actionsOf(operators))
	require.Equal(t, rest.ByOperator, operators[1].Actor)
	require.Equal(t, []string{made.ID}, operators[1].Made)
	refused := auditLines(t, path, "-refused")
	require.Equal(t, []string{"setup.delete", "setup.delete"}, actionsOf(refused))
	require.Equal(t, rest.ByKey, refused[0].Actor)
	require.Equal(t, made.ID, refused[0].KeyID)
	require.Equal(t, http.StatusForbidden, refused[0].Status)
	require.Equal(t, rest.ByUnknown, refused[1].Actor)
	require.Empty(t, refused[1].KeyID)
	require.Equal(t, http.StatusUnauthorized, refused[1].Status)
	require.Equal(t, "127.0.0.1", refused[1].Address)
	for _, suffix := range []string{"", "-operator", "-refused"} {
		text, err := os.ReadFile(strings.TrimSuffix(path, ".jsonl") + suffix + ".jsonl")
		require.NoError(t, err)
		for _, secret := range []string{accessToken, keys[0], made.APIKey, "SESAME", "tl_"} {
			require.NotContains(t, string(text), secret)
		}
	}
}

// One environment cannot fill the audit log with changes, nor anybody with attempts.
func TestChangesAndAttemptsAreBounded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	h := newTestAPI(t, func(p *parts) {
		p.cfg.Audit.Path = path
		p.cfg.ChangesPerSecond = 1e-6
	})
	_, keys := h.newOrganization(t, "prd", "stg")
	for range changesAtOnce {
		require.Equal(t, http.StatusNotFound, h.call(t, "DELETE", setupsPath+"/m", keys[0], "").status)
	}
	over := h.call(t, "DELETE", setupsPath+"/m", keys[0], "")
	require.Equal(t, http.StatusTooManyRequests, over.status)
	require.Equal(t, "3600", over.header.Get("Retry-After"))
	require.Contains(t, over.message(t), "changes per second")
	require.Equal(t, http.StatusNotFound, h.call(t, "DELETE", setupsPath+"/m", keys[1], "").status, "of another environment")
	require.Equal(t, http.StatusOK, h.call(t, "GET", setupsPath, keys[0], "").status)
	h.newOrganization(t, "prd") // the operator has no bound

	for range 300 {
		require.Equal(t, http.StatusUnauthorized, h.call(t, "DELETE", setupsPath+"/m", "unknown", "").status)
	}
	require.Equal(t, http.StatusForbidden, h.call(t, "POST", "/v2/organizations", keys[0], `{"org_name":"x"}`).status)
	refused := auditLines(t, path, "-refused")
	require.Less(t, len(refused), 200)
	require.Equal(t, "organization.create", refused[len(refused)-1].Action, "of others all the same")
}

// A name in the audit log has 256 bytes at most, and no broken character.
func TestLongNamesAreCutInTheAuditLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	h := newTestAPI(t, func(p *parts) { p.cfg.Audit.Path = path })
	_, keys := h.newOrganization(t, "prd")
	long, fits := strings.Repeat("€", 255), strings.Repeat("a", 255)
	for _, name := range []string{long, fits} {
		require.Equal(t, http.StatusCreated, h.call(t, "POST", setupsPath, keys[0], `{"external_id":"`+name+`","evaluators":["char-count"]}`).status)
		require.Equal(t, http.StatusNoContent, h.call(t, "DELETE", setupsPath+"/"+url.PathEscape(name), keys[0], "").status)
	}

	var subjects []string
	for _, c := range auditLines(t, path, "") {
		if c.Action == "setup.delete" {
			subjects = append(subjects, c.Subject["name"])
		}
	}
	require.Equal(t, []string{strings.Repeat("€", 85), fits}, subjects)
}
