// SPDX-License-Identifier: Apache-2.0

package alerts

import (
	"net/url"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/alert"
)

// Alert is an alert as it is stored, and how its groups are.
type Alert struct {
	ID          string         `json:"id" doc:"Assigned by the service."`
	Name        string         `json:"name" doc:"The name."`
	Metric      alert.Metric   `json:"metric" doc:"The figure that is watched." enum:"failing_share,mean_score,error_rate,duration_p95,cost,total_tokens,spans,results,evaluation_delay"`
	Evaluator   string         `json:"evaluator,omitempty" doc:"Only results of this evaluator."`
	Output      string         `json:"output,omitempty" doc:"The output that is the score."`
	Setup       string         `json:"setup_id,omitempty" doc:"Only results of this setup."`
	Filters     rest.Filters   `json:"filters,omitzero" doc:"Only spans that satisfy all conditions."`
	Line        string         `json:"q,omitempty" doc:"More conditions."`
	By          []string       `json:"group_by" doc:"Fields whose values are watched apart."`
	Range       []float64      `json:"score_range,omitempty" doc:"The lowest and the highest score."`
	Window      int64          `json:"window_sec" doc:"How many seconds of spans the value is of."`
	Delay       int64          `json:"delay_sec" doc:"How long after its end a minute is evaluated."`
	Condition   AlertCondition `json:"condition" doc:"When the alert fires."`
	NoData      alert.NoData   `json:"no_data" doc:"What becomes of a group without data." enum:"keep,alert"`
	FalseAlarms float64        `json:"false_alarms" doc:"The highest probability of a false alarm in 30 days."`
	Targets     []ShownTarget  `json:"targets" doc:"Where notifications go."`
	Paused      bool           `json:"paused" doc:"Nothing is watched while the alert is paused."`
	Silenced    string         `json:"silenced_until,omitempty" doc:"Until when nothing is sent." schema:"format=date-time"`
	Reason      string         `json:"silence_reason,omitempty" doc:"Why."`
	CreatedAt   string         `json:"created_at" doc:"When it was created." schema:"format=date-time"`
	UpdatedAt   string         `json:"updated_at" doc:"When it last changed." schema:"format=date-time"`

	Status    alert.Status `json:"status" doc:"The worst status of its groups: firing, no_data, learning or ok; learning where there are none." enum:"learning,ok,firing,no_data"`
	Evaluated string       `json:"evaluated_until,omitempty" doc:"Up to when spans are taken in." schema:"format=date-time"`
	Took      float64      `json:"evaluation_ms" doc:"How long the latest evaluation took."`
	Error     string       `json:"error_message,omitempty" doc:"Why the latest evaluation failed; it is tried again."`
	Groups    []AlertGroup `json:"groups" doc:"The groups."`
	Ignored   bool         `json:"groups_ignored" doc:"Whether there are groups beyond the 50 that are watched."`
}

// ShownTarget is a target without what is secret.
type ShownTarget struct {
	Name      string           `json:"name" doc:"The name."`
	Type      alert.TargetType `json:"type" doc:"What it takes." enum:"webhook,slack,alertmanager"`
	Host      string           `json:"host" doc:"The host of its address."`
	HasSecret bool             `json:"has_secret" doc:"Whether a secret is stored."`
}

// AlertGroup is how one group is.
type AlertGroup struct {
	Keys   []string     `json:"keys" doc:"The values of group_by."`
	Status alert.Status `json:"status" doc:"How the group is. learning: too little is known to say." enum:"learning,ok,firing,no_data"`
	Since  string       `json:"since,omitempty" doc:"When the status began." schema:"format=date-time"`
	Before alert.Status `json:"before,omitempty" doc:"The status before, where it changed." enum:"learning,ok,firing,no_data"`
	alertFigures
}

// alertFigures are what a status rests on.
type alertFigures struct {
	Value     *float64 `json:"value" doc:"The value of the window. Of duration_p95 it is the share of spans that take longer than condition.above, which is compared with 0.05. null: there is no data." schema:"nullable"`
	Bound     *float64 `json:"bound" doc:"What the value is compared with; of worse_than_usual the edge of what was usual at this hour, null while that is not known." schema:"nullable"`
	Low       *float64 `json:"low,omitempty" doc:"The lower end of the 95 % interval of a share or mean, valid however often it is looked at."`
	High      *float64 `json:"high,omitempty" doc:"The upper end."`
	Traces    int64    `json:"traces" doc:"How many traces of the window a share or mean is of: each counts once, by the mean of its values."`
	Effective float64  `json:"effective_traces" doc:"How many traces drawn with one probability would tell as much."`
	Coverage  *float64 `json:"coverage" doc:"The share of evaluations that are done, of those that are done, pending or failed; null where there are none." schema:"nullable"`
}

// AlertNotification is a notification and what became of it.
type AlertNotification struct {
	ID         string          `json:"id" doc:"Receivers of webhooks get it as Webhook-Id."`
	Time       string          `json:"time" doc:"The end of the minute in which groups changed." schema:"format=date-time"`
	Silenced   bool            `json:"silenced" doc:"Whether it was not sent, since the alert was silenced."`
	Groups     []AlertGroup    `json:"groups" doc:"The groups that changed."`
	Deliveries []AlertDelivery `json:"deliveries" doc:"What became of it at each target."`
}

// AlertDelivery is what became of a message at one target.
type AlertDelivery struct {
	Target   string `json:"target" doc:"The name of the target."`
	Status   string `json:"status" doc:"Whether it was sent, is to be sent, or is given up." enum:"sent,pending,failed"`
	Attempts int64  `json:"attempts" doc:"How often it was tried."`
	SentAt   string `json:"sent_at,omitempty" doc:"When it was sent." schema:"format=date-time"`
	Next     string `json:"next_attempt_at,omitempty" doc:"When it is tried again." schema:"format=date-time"`
	Error    string `json:"error,omitempty" doc:"Why the latest attempt failed."`
}

// AlertTest is what became of test messages.
type AlertTest struct {
	Deliveries []AlertDelivery `json:"deliveries" doc:"What became of the message at each target."`
}

// show returns a rule with its state, nil where it has none yet.
func show(r *alert.Rule, s *alert.State) Alert {
	shown := Alert{
		ID: r.ID, Name: r.Name, Metric: r.Metric, Evaluator: r.Evaluator, Output: r.Output, Setup: r.Setup,
		Filters: rest.Filters{RawMessage: r.Filters}, Line: r.Line, By: r.By, Window: r.Window * 60, Delay: r.Delay * 60,
		Condition: AlertCondition{Above: r.Condition.Above, Below: r.Condition.Below, WorseThanUsual: r.Condition.WorseThanUsual},
		NoData:    r.NoData, FalseAlarms: r.FalseAlarms, Targets: []ShownTarget{}, Paused: r.Paused,
		CreatedAt: rest.Time(r.CreatedAt), UpdatedAt: rest.Time(r.UpdatedAt), Status: alert.Learning, Groups: []AlertGroup{},
	}
	if shown.By == nil {
		shown.By = []string{}
	}
	if r.Metric == alert.MeanScore {
		shown.Range = []float64{r.ScoreMin, r.ScoreMax}
	}
	for _, t := range r.Targets {
		one := ShownTarget{Name: t.Name, Type: t.Type, HasSecret: t.Secret != ""}
		if u, err := url.Parse(t.URL); err == nil {
			one.Host = u.Host
		}
		shown.Targets = append(shown.Targets, one)
	}
	if !r.SilencedUntil.IsZero() {
		shown.Silenced, shown.Reason = rest.Time(r.SilencedUntil), r.SilenceReason
	}
	if s == nil || s.Generation != r.Generation {
		return shown
	}
	shown.Evaluated, shown.Took, shown.Error, shown.Ignored = rest.Time(time.Unix(s.Next*60, 0)), float64(s.Took)/1e6, s.Error, s.Ignored
	for i := range s.Groups {
		g := &s.Groups[i]
		one := showChange(g.Shown(r, s.Next-1))
		one.Since, one.Before = rest.Time(time.Unix(g.Since*60, 0)), ""
		shown.Groups = append(shown.Groups, one)
	}
	for _, worst := range []alert.Status{alert.OK, alert.Learning, alert.Missing, alert.Firing} {
		for i := range s.Groups {
			if s.Groups[i].Status == worst {
				shown.Status = worst
			}
		}
	}
	return shown
}

func showChange(c alert.Change) AlertGroup {
	return AlertGroup{Keys: c.Keys, Status: c.Status, Before: c.Before, alertFigures: alertFigures{
		Value: c.Value, Bound: c.Bound, Low: c.Low, High: c.High, Traces: c.Traces, Effective: c.Effective, Coverage: c.Coverage,
	}}
}

func showNotification(n *alert.Notification) AlertNotification {
	shown := AlertNotification{ID: n.ID, Time: rest.Time(n.At), Silenced: n.Silenced, Groups: []AlertGroup{}, Deliveries: showDeliveries(n)}
	for _, c := range n.Changes {
		shown.Groups = append(shown.Groups, showChange(c))
	}
	return shown
}

func showDeliveries(n *alert.Notification) []AlertDelivery {
	list := []AlertDelivery{}
	for i := range n.Deliveries {
		d := &n.Deliveries[i]
		one := AlertDelivery{Target: d.Target, Status: "failed", Attempts: d.Attempts, Error: d.Error, SentAt: rest.TimeIfAny(d.SentAt), Next: rest.TimeIfAny(d.NextAttempt)}
		switch {
		case d.Open():
			one.Status = "pending"
		case !d.SentAt.IsZero():
			one.Status = "sent"
		}
		list = append(list, one)
	}
	return list
}
