// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
)

const backupsPath = "/v2/backups"

// toldBackups are backups as a store extension tells of them.
type toldBackups struct {
	list    []store.Backup
	refusal error
}

func (b *toldBackups) Begin(name string) (store.Backup, error) {
	if b.refusal != nil {
		return store.Backup{}, b.refusal
	}
	made := store.Backup{Name: name, State: store.BackupRunning, Path: "/data/backups/" + name, Begun: time.Unix(1, 0)}
	b.list = append(b.list, made)
	return made, nil
}

func (b *toldBackups) List() ([]store.Backup, error) { return b.list, b.refusal }

func TestBackupsAreTold(t *testing.T) {
	t.Parallel()
	told := &toldBackups{}
	h := newTestAPI(t, func(p *parts) { p.backups = told })
	require.JSONEq(t, `{"backups":[]}`, h.call(t, "GET", backupsPath, accessToken, "").body)
	r := h.call(t, "POST", backupsPath, accessToken, `{"name":"nightly"}`)
	require.Equal(t, http.StatusAccepted, r.status, r.body)
	const running = `{"name":"nightly","state":"running","path":"/data/backups/nightly","begun":"1970-01-01T00:00:01.000Z",` +
		`"files":0,"bytes":0,"total_bytes":0,"problem":""}`
	require.JSONEq(t, running, r.body)
	require.JSONEq(t, running, h.call(t, "GET", backupsPath+"/nightly", accessToken, "").body)
	require.JSONEq(t, `{"backups":[`+running+`]}`, h.call(t, "GET", backupsPath, accessToken, "").body)

	made := &told.list[0]
	made.State, made.Moment, made.Ended, made.Files, made.Bytes, made.Total = store.BackupDone, time.Unix(2, 0), time.Unix(3, 0), 4, 5, 5
	require.JSONEq(t, `{"name":"nightly","state":"done","path":"/data/backups/nightly","begun":"1970-01-01T00:00:01.000Z",`+
		`"moment":"1970-01-01T00:00:02.000Z","ended":"1970-01-01T00:00:03.000Z","files":4,"bytes":5,"total_bytes":5,"problem":""}`,
		h.call(t, "GET", backupsPath+"/nightly", accessToken, "").body)
}

func TestBackupsAreRefused(t *testing.T) {
	t.Parallel()
	told := &toldBackups{}
	h := newTestAPI(t, func(p *parts) { p.backups = told })
	_, keys := h.newOrganization(t, "prd")
	for _, call := range [][2]string{{"GET", backupsPath}, {"POST", backupsPath}, {"GET", backupsPath + "/x"}} {
		body := ""
		if call[0] == "POST" {
			body = `{"name":"x"}`
		}
		require.Equal(t, http.StatusUnauthorized, h.call(t, call[0], call[1], "", body).status)
		r := h.call(t, call[0], call[1], keys[0], body)
		require.Equal(t, http.StatusForbidden, r.status)
		require.Contains(t, r.body, "backups take the access token")
	}
	require.Empty(t, told.list)
	require.Equal(t, http.StatusNotFound, h.call(t, "GET", backupsPath+"/x", accessToken, "").status)
	for body, wants := range map[string]string{`{}`: "name is required", `{"name":1}`: "name must be a string", `{"name":""}`: "name", `[]`: "object"} {
		r := h.call(t, "POST", backupsPath, accessToken, body)
		require.Equal(t, http.StatusBadRequest, r.status, body)
		require.Contains(t, r.body, wants)
	}
	for kind, status := range map[fault.Kind]int{fault.Invalid: 400, fault.Conflict: 409, fault.NotConfigured: 501, fault.Unavailable: 503} {
		told.refusal = fault.New(kind, "no")
		require.Equal(t, status, h.call(t, "POST", backupsPath, accessToken, `{"name":"x"}`).status)
	}
}
