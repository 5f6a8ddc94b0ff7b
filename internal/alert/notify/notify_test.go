// SPDX-License-Identifier: Apache-2.0

package notify_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/alert"
	"github.com/touchstone-otel/touchstone/internal/alert/notify"
)

var at = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

func newMessage() *notify.Message {
	number := func(n float64) *float64 { return &n }
	return &notify.Message{
		Notification: &alert.Notification{ID: "n-1", RuleID: "r-1", At: at, Changes: []alert.Change{
			{
				Keys: []string{"<shop>"}, Status: alert.Firing, Before: alert.OK, Value: number(0.148), Bound: number(0.1), Low: number(0.121), High: number(0.179),
				Traces: 612, Effective: 600, Coverage: number(0.97),
			},
			{Keys: []string{"bank"}, Status: alert.OK, Before: alert.Missing, Bound: number(0.1)},
		}},
		Rule: &alert.Rule{
			ID: "r-1", Name: "quality", Metric: alert.FailingShare, Evaluator: "answer-relevancy", By: []string{"service.name"}, Window: 60,
			Condition: alert.Condition{Above: number(0.1)},
		},
		Environment: "prd", Now: at.Add(time.Second),
	}
}

// taken is a request that a server got.
type taken struct {
	path   string
	header http.Header
	body   []byte
}

func serve(t *testing.T, answer http.HandlerFunc) (url string, got chan taken) {
	t.Helper()
	got = make(chan taken, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- taken{r.URL.Path, r.Header, body}
		if answer != nil {
			answer(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, got
}

func newSender(t *testing.T, private bool) *notify.Sender {
	t.Helper()
	s := notify.New(private)
	t.Cleanup(s.Close)
	return s
}

func TestWebhooksAreSigned(t *testing.T) {
	t.Parallel()
	url, got := serve(t, nil)
	for secret, key := range map[string]string{"plain": "plain", "whsec_" + base64.StdEncoding.EncodeToString([]byte("key")): "key"} {
		d := newSender(t, true).Attempt(t.Context(), newMessage(), &alert.Target{Type: alert.Webhook, URL: url + "/hook", Secret: secret}, alert.Delivery{Target: "a"})
		require.Equal(t, alert.Delivery{Target: "a", Attempts: 1, SentAt: at.Add(time.Second)}, d)
		r := <-got
		require.Equal(t, "/hook", r.path)
		require.Equal(t, "n-1", r.header.Get("Webhook-Id"))
		mac := hmac.New(sha256.New, []byte(key))
		mac.Write([]byte("n-1." + r.header.Get("Webhook-Timestamp") + "." + string(r.body)))
		require.Equal(t, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)), r.header.Get("Webhook-Signature"))
		var body map[string]any
		require.NoError(t, json.Unmarshal(r.body, &body))
		require.Equal(t, "Alert quality (prd)\n"+
			`FIRING service.name="<shop>": share of failing results of answer-relevancy is 0.148; threshold 0.1; 95 % interval 0.121 to 0.179, 612 traces; last 60 minutes; 97 % of evaluations are done`+"\n"+
			`RESOLVED service.name="bank": share of failing results of answer-relevancy; threshold 0.1; last 60 minutes`, body["text"])
		require.Len(t, body["changes"], 2)
	}
}

func TestSlackGetsATextWithoutMarkUp(t *testing.T) {
	t.Parallel()
	url, got := serve(t, nil)
	d := newSender(t, true).Attempt(t.Context(), newMessage(), &alert.Target{Type: alert.Slack, URL: url}, alert.Delivery{})
	require.Empty(t, d.Error)
	r := <-got
	var body map[string]string
	require.NoError(t, json.Unmarshal(r.body, &body))
	require.Len(t, body, 1)
	require.Contains(t, body["text"], `"&lt;shop&gt;"`)
}

func TestAlertmanagersGetAnAlertForEachGroup(t *testing.T) {
	t.Parallel()
	url, got := serve(t, nil)
	for _, address := range []string{url, url + "/", url + "/api/v2/alerts"} {
		d := newSender(t, true).Attempt(t.Context(), newMessage(), &alert.Target{Type: alert.Alertmanager, URL: address, Secret: "token"}, alert.Delivery{})
		require.Empty(t, d.Error)
		r := <-got
		require.Equal(t, "/api/v2/alerts", r.path)
		require.Equal(t, "Bearer token", r.header.Get("Authorization"))
		var list []struct {
			Labels           map[string]string
			StartsAt, EndsAt time.Time
		}
		require.NoError(t, json.Unmarshal(r.body, &list))
		require.Len(t, list, 2)
		require.Equal(t, map[string]string{"alertname": "quality", "environment": "prd", "touchstone_alert": "r-1", "by_service_name": "<shop>"}, list[0].Labels)
		require.Equal(t, at, list[0].StartsAt)
		require.True(t, list[0].EndsAt.After(at))
		require.Equal(t, at, list[1].EndsAt, "it is over")
	}
}

func TestWhatFailsIsTriedAgain(t *testing.T) {
	t.Parallel()
	status := http.StatusBadGateway
	url, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "http://127.0.0.1/elsewhere")
		w.WriteHeader(status)
	})
	s, target := newSender(t, true), &alert.Target{Type: alert.Webhook, URL: url}
	m := newMessage()
	var d alert.Delivery
	for _, wait := range []time.Duration{10, 20, 40, 80, 160, 320, 600, 600} {
		d = s.Attempt(t.Context(), m, target, d)
		require.Equal(t, "the target answered 502", d.Error)
		require.Equal(t, m.Now.Add(wait*time.Second), d.NextAttempt)
	}
	m.Now = at.Add(24 * time.Hour)
	d = s.Attempt(t.Context(), m, target, d)
	require.False(t, d.Open(), "given up")
	m.Now = at
	for code, again := range map[int]bool{http.StatusNotFound: false, http.StatusTemporaryRedirect: false, http.StatusTooManyRequests: true, http.StatusRequestTimeout: true, http.StatusInternalServerError: true} {
		status = code
		d = s.Attempt(t.Context(), m, target, alert.Delivery{})
		require.Equal(t, again, d.Open(), code)
	}
}

// A server that does not answer, or is not there, has an error of its own, without the URL.
func TestServersThatDoNotAnswer(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	slow, _ := serve(t, func(http.ResponseWriter, *http.Request) { <-over })
	t.Cleanup(func() { close(over) })
	d := newSender(t, true).Attempt(t.Context(), newMessage(), &alert.Target{Type: alert.Slack, URL: slow + "/secret"}, alert.Delivery{})
	require.Equal(t, "the target did not answer within 10s", d.Error)
	require.True(t, d.Open())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	d = newSender(t, true).Attempt(t.Context(), newMessage(), &alert.Target{Type: alert.Slack, URL: "http://" + l.Addr().String() + "/secret"}, alert.Delivery{})
	require.Equal(t, "the target cannot be reached", d.Error)
	require.True(t, d.Open())
}

func TestPrivateTargetsAreRefused(t *testing.T) {
	t.Parallel()
	url, got := serve(t, nil)
	for _, address := range []string{url, strings.Replace(url, "127.0.0.1", "localhost", 1), "http://10.0.0.1/", "http://[::1]/", "http://169.254.169.254/latest/meta-data"} {
		d := newSender(t, false).Attempt(t.Context(), newMessage(), &alert.Target{Type: alert.Webhook, URL: address}, alert.Delivery{})
		require.Equal(t, "the address is not public: the operator has to allow private targets", d.Error, address)
	}
	d := newSender(t, true).Attempt(t.Context(), newMessage(), &alert.Target{Type: alert.Webhook, URL: "http://169.254.169.254/latest/meta-data"}, alert.Delivery{})
	require.Contains(t, d.Error, "not public", "whatever the operator allows")
	require.Empty(t, got)
}
