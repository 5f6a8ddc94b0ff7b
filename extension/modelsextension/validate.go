// SPDX-License-Identifier: Apache-2.0

package modelsextension

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/touchstone-otel/touchstone/internal/outbound"
)

// complaints collects what is wrong, each naming the key.
type complaints []error

func (c *complaints) require(ok bool, key, problem string) {
	if !ok {
		*c = append(*c, fmt.Errorf("%q %s", key, problem))
	}
}

// Validate names everything that is wrong. Of a model that is switched off by
// an empty endpoint nothing is said.
func (c *Config) Validate() error {
	var all complaints
	uses := claims{problems: &all}
	for name, j := range sorted(c.Judges) {
		key := "judges::" + name
		if j.Remote.off() {
			continue
		}
		j.Remote.validate(&all, key)
		all.require(j.Model != "", key+"::model", "must be set")
		all.require(j.MaxInputTokens >= 0 && j.MaxInputTokens <= 1<<24, key+"::max_input_tokens", "must be from 0 to 16777216")
		_, priced := c.Prices[j.Model]
		all.require(price(j.MaxQuestionCost) && (j.MaxQuestionCost == 0 || priced), key+"::max_question_cost", `must be a price, and needs the model among "prices"`)
		all.require(j.MaxTokens > 0, key+"::max_tokens", "must be positive")
		all.require(j.Repairs >= 0 && j.Repairs <= 10, key+"::repairs", "must be from 0 to 10")
		all.require(!slices.Contains(j.AllowedModels, ""), key+"::allowed_models", "must not hold an empty name")
		uses.add("judge", key, j.Remote.Evaluators)
	}
	for name, e := range sorted(c.Embedders) {
		key := "embedders::" + name
		_, known := c.Judges[e.Judge]
		all.require(e.Judge == "" || known, key+"::judge", "must name one of the judges")
		if e = e.at(c.Judges); e.Remote.off() {
			continue
		}
		e.Remote.validate(&all, key)
		all.require(e.Model != "", key+"::model", "must be set")
		all.require(e.Dimensions >= 0, key+"::dimensions", "must not be negative")
		all.require(e.Batch > 0, key+"::batch", "must be positive")
		uses.add("embedder", key, e.Remote.Evaluators)
	}
	for name, s := range sorted(c.Scorers) {
		key := "scorers::" + name
		if s.Remote.off() {
			continue
		}
		s.Remote.validate(&all, key)
		all.require(s.Model != "", key+"::model", "must be set")
		uses.add("scorer", key, s.Remote.Evaluators)
	}
	for name, k := range sorted(c.Classifiers) {
		key := "classifiers::" + name
		if k.Remote.off() {
			continue
		}
		k.Remote.validate(&all, key)
		all.require(k.Activation.Validate() == nil, key+"::activation", "must be softmax or sigmoid")
		all.require(len(k.Remote.Evaluators) > 0, key+"::evaluators", "must name an evaluator: no classifier serves all")
		uses.add("classifier", key, k.Remote.Evaluators)
	}
	for name, o := range sorted(c.ONNX) {
		o.validate(&all, "onnx::"+name, &uses)
	}
	for name, p := range sorted(c.Prices) {
		all.require(price(p.Prompt), "prices::"+name+"::prompt", "must be a price")
		all.require(price(p.Completion), "prices::"+name+"::completion", "must be a price")
	}
	return errors.Join(all...)
}

func price(p float64) bool { return p >= 0 && !math.IsInf(p, 0) }

func (r *RemoteConfig) off() bool { return r.HTTP.Endpoint == "" }

// at returns the embedder with the server of its judge, if it has a model and no server.
func (c EmbedderConfig) at(judges map[string]JudgeConfig) EmbedderConfig {
	judge, ok := judges[c.Judge]
	if !ok || c.Model == "" || !c.Remote.off() {
		return c
	}
	c.Remote.HTTP, c.Remote.AllowLinkLocal, c.Remote.APIKey = judge.Remote.HTTP, judge.Remote.AllowLinkLocal, judge.Remote.APIKey
	return c
}

func (r *RemoteConfig) validate(all *complaints, key string) {
	u, err := url.Parse(r.HTTP.Endpoint)
	all.require(err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.RawQuery == "" && u.Fragment == "",
		key+"::http::endpoint", "must be an http or https address without a query")
	all.require(err != nil || r.AllowLinkLocal || !outbound.NamesLinkLocal(u.Hostname()),
		key+"::http::endpoint", `must not be link-local or a metadata service, unless "allow_link_local" is set`)
	all.require(err != nil || u.User == nil, key+"::http::endpoint", `must not hold a credential: that is "api_key"`)
	all.require(!strings.ContainsAny(string(r.APIKey), "\r\n\x00") && string(r.APIKey) == strings.TrimSpace(string(r.APIKey)),
		key+"::api_key", "must be one line without spaces around it")
	all.require(!slices.Contains(r.Evaluators, ""), key+"::evaluators", "must not hold an empty slug")
	r.Limits.validate(all, key+"::limits")
	r.Cache.validate(all, key+"::cache")
}

func (l *LimitsConfig) validate(all *complaints, key string) {
	for _, n := range []struct {
		key   string
		value int
	}{
		{"concurrency", l.Concurrency},
		{"requests_per_minute", l.RequestsPerMinute},
		{"tokens_per_minute", l.TokensPerMinute},
		{"break_after", l.BreakAfter},
	} {
		all.require(n.value >= 0 && n.value <= math.MaxInt32, key+"::"+n.key, "must not be negative")
	}
	all.require(l.Attempts >= 1 && l.Attempts <= 20, key+"::attempts", "must be from 1 to 20")
	for _, d := range []struct {
		key   string
		value time.Duration
	}{{"timeout", l.Timeout}, {"first_wait", l.FirstWait}, {"break_for", l.BreakFor}} {
		all.require(d.value > 0, key+"::"+d.key, "must be positive")
	}
	all.require(l.MaxWait >= 0, key+"::max_wait", "must not be negative")
}

func (c *CacheConfig) validate(all *complaints, key string) {
	all.require(c.MaxKiB >= 0 && c.MaxKiB <= 1<<30, key+"::max_kib", "must be from 0 to 1073741824")
	all.require(c.MaxAge > 0, key+"::max_age", "must be positive")
}

func (o *ONNXConfig) validate(all *complaints, key string, uses *claims) {
	if o.Path == "" {
		return
	}
	switch o.Task {
	case TaskClassify:
		all.require(len(o.Evaluators) > 0, key+"::evaluators", "must name an evaluator: no classifier serves all")
		uses.add("classifier", key, o.Evaluators)
	case TaskEmbed:
		uses.add("embedder", key, o.Evaluators)
	default:
		all.require(false, key+"::task", "must be classify or embed")
	}
	all.require(o.Activation.Validate() == nil, key+"::activation", "must be softmax or sigmoid")
	all.require(o.MaxTokens > 0, key+"::max_tokens", "must be positive")
	all.require(o.Concurrency > 0, key+"::concurrency", "must be positive")
	all.require(o.MaxWait >= 0, key+"::max_wait", "must not be negative")
	all.require(!slices.Contains(o.Evaluators, ""), key+"::evaluators", "must not hold an empty slug")
	o.Cache.validate(all, key+"::cache")
}

// claims find models that claim the same evaluator.
type claims struct {
	problems *complaints
	by       map[[2]string]string
}

// add claims evaluators, or all that are not named, for a use.
func (c *claims) add(use, key string, evaluators []string) {
	if c.by == nil {
		c.by = make(map[[2]string]string)
	}
	if len(evaluators) == 0 {
		evaluators = []string{""}
	}
	for _, slug := range evaluators {
		claim := [2]string{use, slug}
		other, taken := c.by[claim]
		switch {
		case !taken:
			c.by[claim] = key
		case slug == "":
			c.problems.require(false, key+"::evaluators", fmt.Sprintf("must be set, since %q already serves all", other))
		default:
			c.problems.require(false, key+"::evaluators", fmt.Sprintf("names %q, which %q names too", slug, other))
		}
	}
}
