// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// A key that only reads is offered nothing that it is not good for, and reads why.
func TestAKeyThatOnlyReads(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	me, err := testbed.Ask[struct {
		Organization struct {
			ID string `json:"id"`
		} `json:"organization"`
	}](t.Context(), c, http.MethodGet, "/v2/me", key, nil)
	require.NoError(t, err)
	made, err := testbed.Ask[struct {
		Key string `json:"api_key"`
	}](t.Context(), c, http.MethodPost, "/v2/organizations/"+me.Organization.ID+"/environments/prd/keys", testbed.AccessToken, map[string]any{"name": "reads", "scope": "read"})
	require.NoError(t, err)

	const told = "This key can only read"
	p := open(t, c, "/ui/monitors")
	signIn(t, p, made.Key)
	p.Text("No monitors in this environment.")
	p.Text(told)
	checkAccessible(t, p, "no monitors, and a key that only reads")
	_, err = testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{
		"external_id": "all", "evaluators": []string{"char-count"}, "selector": []map[string]any{{"key": "service.name", "source": "resource_attributes", "operator": "exists"}},
	})
	require.NoError(t, err)
	awaitLoaded(t, c, key, "all")
	send(t, c, key, hours(5, time.Minute)...)
	await(t, c, key, 5)
	actions := func() []string {
		return browser.Eval[[]string](p, `[...document.querySelectorAll("main :is(button, a)")].map((b) => b.innerText)`)
	}
	for path, page := range map[string]struct {
		shows string
		told  bool
		lacks []string
	}{
		"/ui/monitors":                  {"running", false, []string{"New monitor", "Pause"}},
		"/ui/monitors/all":              {"Latest matching spans", false, []string{"Pause", "Edit"}},
		"/ui/monitors/all?tab=settings": {"Identifier", false, []string{"Delete"}},
		"/ui/monitors/all?tab=backfill": {"Backfills", true, []string{"Run"}},
		"/ui/monitors/new":              {"New monitor", true, []string{"Create"}},
		"/ui/monitors/all/edit":         {"Edit", true, []string{"Save"}},
		"/ui/evaluators":                {"evaluators", false, []string{"New evaluator"}},
		"/ui/evaluators/new":            {"New evaluator", true, []string{"Create"}},
		"/ui/evaluators/char-count":     {"Results", true, []string{"Run", "Create monitor"}},
		"/ui/spans?filters=" + url.QueryEscape(`[{"id":"span_name","operator":"exists"}]`): {"5 spans", false, []string{"Create monitor from this filter"}},
	} {
		p.Go(c.API + path)
		p.Text(page.shows)
		if page.told {
			p.Text(told)
		}
		for _, action := range page.lacks {
			require.NotContains(t, actions(), action, path)
		}
	}

	// With a key of scope full all of that is there.
	p.Go(c.API + "/ui/signin")
	signIn(t, p, key)
	p.UntilTrue(`!location.pathname.endsWith("/signin")`)
	p.Go(c.API + "/ui/monitors")
	p.Text("New monitor")
	p.Text("Pause")
}
