// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// putIf sends an update that is meant for one version of a setup.
func (h *testAPI) putIf(t *testing.T, key, name, match, body string) reply {
	t.Helper()
	return h.send(t, "PUT", setupsPath+"/"+name, http.Header{
		"Authorization": {"Bearer " + key}, "Content-Type": {"application/json"}, "If-Match": {match},
	}, []byte(body))
}

func TestSetupsArePausedAndResumed(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	made := h.create(t, key, `{"external_id":"m1","evaluators":["char-count"]}`)
	require.False(t, made.Paused)
	require.NotContains(t, h.call(t, "GET", setupsPath+"/m1", key, "").body, "paused", "as it was before there were pauses")
	settle(t, h, tenant.EnvironmentID(made.EnvProjectID))

	put := func(body string) shownSetup {
		t.Helper()
		r := h.call(t, "PUT", setupsPath+"/m1", key, body)
		require.Equal(t, http.StatusOK, r.status, r.body)
		s := into[shownSetup](t, r)
		require.Equal(t, s, h.get(t, key, "m1"))
		return s
	}
	paused := put(`{"paused":true}`)
	require.True(t, paused.Paused)
	require.NotEmpty(t, paused.PausedSince)
	require.Empty(t, paused.ResumedAt)
	require.Equal(t, "failed", paused.Status, "nothing has to be checked again")
	require.Equal(t, "no model", paused.Evaluators[0].ErrorMessage)
	require.Greater(t, paused.UpdatedAt, made.UpdatedAt)
	again := put(`{"paused":true,"external_id":"m1"}`)
	require.Equal(t, paused.PausedSince, again.PausedSince, "it was paused already")
	status := into[setupStatusAnswer](t, h.call(t, "GET", setupsPath+"/m1/status", key, ""))
	require.True(t, status.Paused)

	kept := put(`{"min_spans":3}`)
	require.True(t, kept.Paused, "what is left out stays")
	require.Equal(t, paused.PausedSince, kept.PausedSince)
	require.Equal(t, "pending", kept.Status)

	resumed := put(`{"paused":false}`)
	require.False(t, resumed.Paused)
	require.Equal(t, paused.PausedSince, resumed.PausedSince, "so that a backfill can be offered")
	require.GreaterOrEqual(t, resumed.ResumedAt, resumed.PausedSince)
	require.EqualValues(t, 3, resumed.MinSpans)
	both := put(`{"paused":true,"selector":[]}`)
	require.True(t, both.Paused)
	require.Equal(t, "pending", both.Status)
	require.Empty(t, both.ResumedAt)
	require.False(t, put(`{"paused":null}`).Paused)

	stored, err := store.Setups(h.live).Get(t.Context(), tenant.EnvironmentID(made.EnvProjectID), "m1")
	require.NoError(t, err)
	require.EqualValues(t, 2, stored.Generation, "a pause asks for nothing else")

	// A setup may begin with a pause; one that is put as a whole has what the body has.
	begun := h.create(t, key, `{"external_id":"m2","evaluators":["char-count"],"paused":true}`)
	require.True(t, begun.Paused)
	require.Equal(t, begun.CreatedAt, begun.PausedSince)
	r := h.call(t, "POST", setupsPath+"/bulk", key, `{"setups":[{"external_id":"m2","evaluators":["char-count"]},{"external_id":"m3","evaluators":["char-count"],"paused":true}]}`)
	require.Equal(t, http.StatusMultiStatus, r.status, r.body)
	m2 := h.get(t, key, "m2")
	require.False(t, m2.Paused)
	require.NotEmpty(t, m2.ResumedAt)
	require.True(t, h.get(t, key, "m3").Paused)

	for _, body := range []string{`{"paused":1}`, `{"paused":"yes"}`, `{"paused":[]}`} {
		r := h.call(t, "PUT", setupsPath+"/m1", key, body)
		require.Equal(t, http.StatusBadRequest, r.status)
		require.Contains(t, r.message(t), "paused must be a boolean")
	}
}

func TestUpdatesAreMeantForAVersion(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	r := h.call(t, "POST", setupsPath, key, `{"external_id":"m1","evaluators":["char-count"]}`)
	require.Equal(t, http.StatusCreated, r.status, r.body)
	env := tenant.EnvironmentID(into[shownSetup](t, r).EnvProjectID)
	first := r.header.Get("ETag")
	require.NotEmpty(t, first)
	tag := func() string { return h.call(t, "GET", setupsPath+"/m1", key, "").header.Get("ETag") }
	require.Equal(t, first, tag())
	settle(t, h, env)
	require.Equal(t, first, tag(), "its status moves by itself")

	r = h.putIf(t, key, "m1", first, `{"max_cost_per_day":5}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
	second := r.header.Get("ETag")
	require.NotEqual(t, first, second, "bounds are decided by users too")
	require.Equal(t, second, tag())
	for _, match := range []string{first, `"x"`, "W/" + second, "", `"", ` + first, "garbage\"", second[:len(second)-1]} {
		r = h.putIf(t, key, "m1", match, `{"selector":{"a":"b"}}`)
		require.Equal(t, http.StatusPreconditionFailed, r.status, match)
		require.Equal(t, "the auto monitor setup was changed since it was read: read it again", r.message(t))
	}
	require.Empty(t, h.get(t, key, "m1").InitRules)
	require.Equal(t, second, tag())
	for _, match := range []string{first + ", " + second, "*"} {
		r = h.putIf(t, key, "m1", match, `{}`)
		require.Equal(t, http.StatusOK, r.status, match)
	}
	seen := map[string]bool{first: true, tag(): true}
	for _, body := range []string{`{"selector":{"a":"b"}}`, `{"evaluators":["word-count"]}`, `{"paused":true}`, `{"paused":false}`, `{"other_languages":"skip"}`} {
		r = h.putIf(t, key, "m1", tag(), body)
		require.Equal(t, http.StatusOK, r.status, body)
		require.False(t, seen[tag()], body)
		seen[tag()] = true
	}
	require.Equal(t, http.StatusNotFound, h.putIf(t, key, "none", "*", `{}`).status)
	require.Equal(t, http.StatusNotFound, h.putIf(t, h.newKey(t), "m1", tag(), `{}`).status, "another environment's")
}

func TestPausesAreExplained(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	s := l.create(t, l.key, `{"external_id":"m","evaluators":["char-count"]}`)
	r := l.call(t, "PUT", setupsPath+"/m", l.key, `{"paused":true}`)
	require.Equal(t, http.StatusOK, r.status)
	since := into[shownSetup](t, r).PausedSince
	begun, err := time.Parse(time.RFC3339, since)
	require.NoError(t, err)
	l.write(t, 1, func(_ int, r *store.Record) { r.Span.Start = begun.Add(time.Millisecond).UnixNano() })
	m := l.explain(t, "").Setups[0]
	require.True(t, m.Matched)
	require.True(t, m.Paused)
	require.Equal(t, since, m.PausedSince)
	require.Contains(t, m.Sentence, "it is paused since "+since)
	require.Equal(t, "paused", m.Evaluators[0].Reason)
	require.Equal(t, "the setup was paused when the span came; a backfill of the setup judges it", m.Evaluators[0].Sentence)

	stored, err := store.Setups(l.live).Get(t.Context(), l.env.ID, s.ID)
	require.NoError(t, err)
	_, err = store.Setups(l.live).Replace(t.Context(), stored.Pausing(time.Now().Add(time.Hour), false))
	require.NoError(t, err)
	m = l.explain(t, "").Setups[0]
	require.False(t, m.Paused)
	require.Equal(t, "matches every span", m.Sentence)
	require.Equal(t, "paused", m.Evaluators[0].Reason, "as it was when the span came")
}
