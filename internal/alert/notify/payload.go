// SPDX-License-Identifier: Apache-2.0

package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/touchstone-otel/touchstone/internal/alert"
)

// alertmanagerPath is where an Alertmanager takes alerts.
// https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml
const alertmanagerPath = "/api/v2/alerts"

// stale is how long an Alertmanager keeps an alert whose end it does not hear of.
const stale = 7 * 24 * time.Hour

// webhookBody is what a webhook gets.
type webhookBody struct {
	ID          string         `json:"id"`
	Time        time.Time      `json:"time"`
	Alert       string         `json:"alert"`
	AlertID     string         `json:"alert_id"`
	Environment string         `json:"environment"`
	Metric      alert.Metric   `json:"metric"`
	GroupBy     []string       `json:"group_by,omitempty"`
	Text        string         `json:"text"`
	Changes     []alert.Change `json:"changes"`
}

// payload returns the body and the headers of a message for a target.
func payload(m *Message, to *alert.Target) (body []byte, header http.Header, err error) {
	header = http.Header{}
	switch to.Type {
	case alert.Slack:
		body, err = json.Marshal(map[string]string{"text": escapeSlack(m.text())})
	case alert.Alertmanager:
		body, err = json.Marshal(alertmanagerAlerts(m))
		if to.Secret != "" {
			header.Set("Authorization", "Bearer "+to.Secret)
		}
	case alert.Webhook:
		body, err = json.Marshal(webhookBody{
			ID: m.ID, Time: m.At, Alert: m.Rule.Name, AlertID: m.RuleID, Environment: m.Environment,
			Metric: m.Rule.Metric, GroupBy: m.Rule.By, Text: m.text(), Changes: m.Changes,
		})
		sign(header, m.ID, m.Now, body, to.Secret)
	}
	return body, header, err
}

// sign adds the headers of a webhook by the conventions of https://www.standardwebhooks.com:
// libraries of many languages check them.
func sign(header http.Header, id string, now time.Time, body []byte, secret string) {
	at := strconv.FormatInt(now.Unix(), 10)
	header.Set("Webhook-Id", id)
	header.Set("Webhook-Timestamp", at)
	if secret == "" {
		return
	}
	key := []byte(secret)
	if text, found := strings.CutPrefix(secret, "whsec_"); found {
		if decoded, err := base64.StdEncoding.DecodeString(text); err == nil {
			key = decoded
		}
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + at + "."))
	mac.Write(body)
	header.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}

// escapeSlack escapes what Slack reads as mark-up.
// https://docs.slack.dev/messaging/formatting-message-text
func escapeSlack(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

// alertmanagerAlert is an alert as an Alertmanager takes it.
type alertmanagerAlert struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	StartsAt    time.Time         `json:"startsAt,omitzero"`
	EndsAt      time.Time         `json:"endsAt"`
}

func alertmanagerAlerts(m *Message) []alertmanagerAlert {
	list := make([]alertmanagerAlert, len(m.Changes))
	for i := range m.Changes {
		c := &m.Changes[i]
		labels := map[string]string{"alertname": m.Rule.Name, "environment": m.Environment, "touchstone_alert": m.RuleID}
		for j, field := range m.Rule.By {
			if j < len(c.Keys) {
				labels[labelOf(field)] = c.Keys[j]
			}
		}
		list[i] = alertmanagerAlert{Labels: labels, Annotations: map[string]string{"summary": m.line(c)}, EndsAt: m.At}
		if c.Status.Bad() {
			list[i].StartsAt, list[i].EndsAt = m.At, m.At.Add(stale)
		}
	}
	return list
}

// labelOf returns the name of a field as a label can have it.
func labelOf(field string) string {
	return "by_" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, field)
}
