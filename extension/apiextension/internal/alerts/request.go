// SPDX-License-Identifier: Apache-2.0

package alerts

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/alert"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

// AlertRequest is an alert as its user writes it.
type AlertRequest struct {
	Name        string          `json:"name" doc:"The name, unique in the environment." schema:"required minLength=1 maxLength=200"`
	Metric      string          `json:"metric" doc:"The figure that is watched: the share of failing results of an evaluator, the mean of a score, the share of spans with an error, the 95th percentile of durations in ms, a cost in US dollars, tokens, the number of spans, the number of completed evaluations, or the age in seconds of the oldest pending evaluation." schema:"required" enum:"failing_share,mean_score,error_rate,duration_p95,cost,total_tokens,spans,results,evaluation_delay"`
	Evaluator   string          `json:"evaluator" doc:"Only results of this evaluator. Required for mean_score." schema:"maxLength=200"`
	Output      string          `json:"output" doc:"The output that is the score; for mean_score alone." schema:"maxLength=200"`
	Setup       string          `json:"setup_id" doc:"Only results of this setup: its id." schema:"maxLength=200"`
	Filters     rest.Filters    `json:"filters" doc:"Only spans that satisfy all conditions." schema:"maxItems=100"`
	Line        string          `json:"q" doc:"More conditions, as a line such as service:checkout model:gpt-4o." schema:"maxLength=4096"`
	By          []string        `json:"group_by" doc:"Fields whose values are watched apart: fields of spans that are texts, attributes, or for results evaluator, setup_id or backend. At most 50 groups are watched." schema:"maxItems=2 uniqueItems=true" items:"schema:\"minLength=1 maxLength=4096\""`
	Range       []float64       `json:"score_range" doc:"The lowest and the highest score of mean_score; default 0 and 1. Scores beyond count as these." schema:"minItems=2 maxItems=2"`
	Window      *rest.Int       `json:"window_sec" doc:"How many seconds of spans the value is of, in whole minutes." schema:"minimum=60 maximum=86400 default=3600"`
	Delay       *rest.Int       `json:"delay_sec" doc:"How long after its end a minute is evaluated, in whole minutes: spans that arrive later are missed. Results that are pending are waited for 15 minutes more." schema:"minimum=0 maximum=3600 default=60"`
	Condition   *AlertCondition `json:"condition" doc:"When the alert fires." schema:"required"`
	NoData      string          `json:"no_data" doc:"What becomes of a group without data for a whole window: its status stays, or it alerts." enum:"keep,alert" schema:"default=keep"`
	FalseAlarms *float64        `json:"false_alarms" doc:"The highest probability of a false alarm in 30 days, all groups together, of metrics that are shares or means." schema:"minimum=0.0001 maximum=0.5 default=0.05"`
	Targets     []AlertTarget   `json:"targets" doc:"Where notifications go." schema:"maxItems=5"`
	Paused      bool            `json:"paused" doc:"Nothing is watched while the alert is paused."`
}

// AlertCondition says when an alert fires. One member is given.
type AlertCondition struct {
	_ struct{} `oneOf:"above|below|worse_than_usual"`

	Above          *float64 `json:"above,omitempty" doc:"The value is above this."`
	Below          *float64 `json:"below,omitempty" doc:"The value is below this."`
	WorseThanUsual bool     `json:"worse_than_usual,omitempty" doc:"The value is worse than at the same hours of the days before. For failing_share, mean_score and error_rate."`
}

// AlertTarget is a target as its user writes it.
type AlertTarget struct {
	Name   string `json:"name" doc:"The name, unique in the alert." schema:"required minLength=1 maxLength=200"`
	Type   string `json:"type" doc:"A webhook that gets a signed JSON object, an incoming webhook of Slack or of a service compatible with it, or the address of an Alertmanager." schema:"required" enum:"webhook,slack,alertmanager"`
	URL    string `json:"url" doc:"Its address. It is not shown again." schema:"maxLength=2000"`
	Secret string `json:"secret" doc:"The key of a webhook's signature, or the bearer token for an Alertmanager. It is not shown again." schema:"maxLength=1000"`
}

// SilenceRequest says for how long nothing is sent.
type SilenceRequest struct {
	Seconds rest.Int `json:"duration_sec" doc:"For how many seconds from now on nothing is sent." schema:"required minimum=60 maximum=2592000"`
	Reason  string   `json:"reason" doc:"Why." schema:"maxLength=1000"`
}

func invalid(format string, args ...any) error { return fault.New(fault.Invalid, format, args...) }

// rule returns the rule that a request asks for; stored has the targets that are known.
func (w *AlertRequest) rule(stored []alert.Target) (alert.Rule, error) {
	r := alert.Rule{
		Name: w.Name, Metric: alert.Metric(w.Metric), Evaluator: w.Evaluator, Output: w.Output, Setup: w.Setup,
		Line: w.Line, By: w.By, ScoreMax: 1, Window: 60, Delay: 1, NoData: alert.KeepStatus, FalseAlarms: 0.05, Paused: w.Paused,
	}
	if len(w.Filters.RawMessage) > 0 {
		var compact bytes.Buffer
		if err := json.Compact(&compact, w.Filters.RawMessage); err != nil {
			return r, invalid("filters must be a JSON array")
		}
		if text := compact.String(); text != "null" && text != "[]" {
			r.Filters = compact.Bytes()
		}
	}
	if w.Range != nil {
		r.ScoreMin, r.ScoreMax = w.Range[0], w.Range[1]
	}
	if w.NoData != "" {
		r.NoData = alert.NoData(w.NoData)
	}
	if w.FalseAlarms != nil {
		r.FalseAlarms = *w.FalseAlarms
	}
	var err error
	if r.Window, err = minutes("window_sec", w.Window, r.Window); err == nil {
		r.Delay, err = minutes("delay_sec", w.Delay, r.Delay)
	}
	if err == nil {
		r.Condition = alert.Condition{Above: w.Condition.Above, Below: w.Condition.Below, WorseThanUsual: w.Condition.WorseThanUsual}
		err = w.check(&r)
	}
	if err == nil {
		_, err = newQuestion(&r)
	}
	if err == nil {
		r.Targets, err = w.targets(stored)
	}
	return r, err
}

// minutes returns whole minutes of seconds, or what is meant where none are given.
func minutes(field string, seconds *rest.Int, otherwise int64) (int64, error) {
	switch {
	case seconds == nil:
		return otherwise, nil
	case *seconds%60 != 0:
		return 0, invalid("%s must be a multiple of 60", field)
	}
	return int64(*seconds) / 60, nil
}

// check refuses what does not go together.
func (w *AlertRequest) check(r *alert.Rule) error {
	c := &r.Condition
	given := 0
	for _, is := range []bool{c.Above != nil, c.Below != nil, c.WorseThanUsual} {
		if is {
			given++
		}
	}
	share := r.Metric == alert.FailingShare || r.Metric == alert.ErrorRate
	switch {
	case given != 1:
		return invalid("condition must have one of above, below and worse_than_usual")
	case c.WorseThanUsual && !share && r.Metric != alert.MeanScore:
		return invalid("condition.worse_than_usual is known for failing_share, mean_score and error_rate")
	case r.Metric == alert.DurationP95 && (c.Above == nil || *c.Above <= 0):
		return invalid("condition.above must be given for duration_p95, in milliseconds")
	case !r.Metric.OfEvaluations() && r.Evaluator+r.Setup != "":
		return invalid("evaluator and setup_id are for metrics of results, not for %s", r.Metric)
	case r.Metric == alert.MeanScore && (r.Evaluator == "" || r.Output == ""):
		return invalid("evaluator and output are required for mean_score")
	case r.Metric != alert.MeanScore && (r.Output != "" || w.Range != nil):
		return invalid("output and score_range are for mean_score, not for %s", r.Metric)
	case r.ScoreMin >= r.ScoreMax:
		return invalid("score_range must have the lower score first")
	}
	for name, bound := range map[string]*float64{"above": c.Above, "below": c.Below} {
		switch {
		case bound == nil:
		case share && (*bound <= 0 || *bound >= 1):
			return invalid("condition.%s must be between 0 and 1: it is a share", name)
		case r.Metric == alert.MeanScore && (*bound <= r.ScoreMin || *bound >= r.ScoreMax):
			return invalid("condition.%s must be within score_range", name)
		}
	}
	return nil
}

// targets returns the targets, with what the stored ones of their names have.
func (w *AlertRequest) targets(stored []alert.Target) (list []alert.Target, err error) {
	for i, t := range w.Targets {
		one := alert.Target{Name: t.Name, Type: alert.TargetType(t.Type), URL: t.URL, Secret: t.Secret}
		if slices.ContainsFunc(list, func(o alert.Target) bool { return o.Name == t.Name }) {
			return nil, invalid("targets[%d].name is that of another target", i)
		}
		// A secret goes with its address: it is not sent to another one.
		if at := slices.IndexFunc(stored, func(o alert.Target) bool { return o.Name == t.Name && o.Type == one.Type }); at >= 0 {
			known := &stored[at]
			if one.URL == "" {
				one.URL = known.URL
			}
			if one.Secret == "" && one.URL == known.URL {
				one.Secret = known.Secret
			}
		}
		u, err := url.Parse(one.URL)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" {
			return nil, invalid("targets[%d].url must be an http or https address", i)
		}
		list = append(list, one)
	}
	return list, nil
}
