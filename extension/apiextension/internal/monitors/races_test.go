// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest/resttest"
	"github.com/touchstone-otel/touchstone/internal/eval/registry"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

var acme = tenant.Environment{ID: "acme", OrganizationID: "o", ProjectID: "p"}

// raced is a control store in which another caller is first, races times, and
// with trouble for setups of some names.
type raced struct {
	*cache.Cache
	races   int
	trouble map[string]error
}

func (r *raced) Put(ctx context.Context, d store.Document) (store.Document, error) {
	if d.Revision == 0 {
		if err := r.trouble[d.Name]; err != nil {
			return store.Document{}, err
		}
		return r.Cache.Put(ctx, d)
	}
	r.races--
	if r.races >= 0 {
		return store.Document{}, fault.New(fault.Conflict, "changed by someone else")
	}
	return r.Cache.Put(ctx, d)
}

// newAPI returns the routes of setups on a real control store.
// unbounded is the usage of environments without quotas.
type unbounded struct{}

func (unbounded) MayOwe(context.Context, tenant.Environment) error { return nil }

func newAPI(t *testing.T) (*raced, http.Handler) {
	t.Helper()
	db, err := sqldb.Open(t.Context(), sqldb.Config{Path: filepath.Join(t.TempDir(), "control.db")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	live, err := cache.New(t.Context(), db)
	require.NoError(t, err)
	require.NoError(t, live.CreateOrganization(t.Context(), tenant.Organization{
		ID: acme.OrganizationID, Name: "Acme", CreatedAt: time.Unix(1, 0),
		Projects: []tenant.Project{{ID: acme.ProjectID, Slug: "default", Environments: []tenant.Environment{acme}}},
	}, nil))
	control := &raced{Cache: live}
	server := resttest.Server(t, acme)
	a := &API{
		Setups: store.Setups(control), Live: live.Setups, Backfills: store.Backfills(control),
		Evaluators: registry.New(evaluators.Catalog(), store.Evaluators(control), nil),
		Usage:      unbounded{}, Tell: server.Tell, Now: time.Now,
	}
	return control, resttest.Handler(server, a.Routes())
}

func TestUpdateBeginsAnewWhenTheSetupMovedOn(t *testing.T) {
	t.Parallel()
	control, h := newAPI(t)
	const path = "/v2/auto-monitor-setups"
	require.Equal(t, http.StatusCreated, resttest.Call(t, h, http.MethodPost, path, `{"external_id":"m","evaluators":["char-count"]}`).Code)
	for races, want := range map[int]int{maxReplaceTries - 1: http.StatusOK, maxReplaceTries: http.StatusConflict} {
		control.races = races
		w := resttest.Call(t, h, http.MethodPut, path+"/m", `{"evaluators":["word-count"]}`)
		require.Equal(t, want, w.Code, w.Body)
	}
}

func TestBulkTellsOfTroubleBelow(t *testing.T) {
	t.Parallel()
	control, h := newAPI(t)
	control.trouble = map[string]error{
		"m1": errors.New("a detail"), "m2": fault.Wrap(fault.Unavailable, errors.New("x"), "the store is full"), "m3": fault.New(fault.Conflict, "changed by someone else"),
	}
	put := func(body string) []BulkItem {
		t.Helper()
		w := resttest.Call(t, h, http.MethodPost, "/v2/auto-monitor-setups/bulk", body)
		require.Equal(t, http.StatusMultiStatus, w.Code, w.Body)
		var all struct {
			Setups []BulkItem `json:"setups"`
		}
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &all))
		return all.Setups
	}
	got := put(`{"setups":[{"external_id":"m0","evaluators":["char-count"]},{"external_id":"m1","evaluators":["char-count"]},
		{"external_id":"m2","evaluators":["char-count"]},{"external_id":"m3","evaluators":["char-count"]}]}`)
	require.Equal(t, "ok", got[0].Status)
	require.Equal(t, "setups[1]: internal error", got[1].Error)
	require.Equal(t, "setups[2]: the store is full", got[2].Error)
	require.Equal(t, "setups[3]: changed by someone else", got[3].Error)

	// An update that another caller overtakes starts again.
	control.races = maxReplaceTries - 1
	require.Equal(t, "ok", put(`{"setups":[{"external_id":"m0","evaluators":["word-count"]}]}`)[0].Status)
}

func TestCancellingBeginsAnewWhenTheBackfillMovedOn(t *testing.T) {
	t.Parallel()
	control, h := newAPI(t)
	const path = "/v2/auto-monitor-setups"
	require.Equal(t, http.StatusCreated, resttest.Call(t, h, http.MethodPost, path, `{"external_id":"m","evaluators":["char-count"]}`).Code)
	for races, want := range map[int]int{maxReplaceTries - 1: http.StatusOK, maxReplaceTries: http.StatusConflict} {
		control.races = 0
		w := resttest.Call(t, h, http.MethodPost, path+"/m/backfill", `{"from_timestamp_sec":1}`)
		require.Equal(t, http.StatusAccepted, w.Code, w.Body)
		var made Backfill
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &made))
		control.races = races
		w = resttest.Call(t, h, http.MethodDelete, path+"/m/backfill/"+made.ID, "")
		require.Equal(t, want, w.Code, fmt.Sprint(races, w.Body))
	}
}
