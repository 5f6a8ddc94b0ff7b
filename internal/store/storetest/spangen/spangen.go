// SPDX-License-Identifier: Apache-2.0

// Package spangen makes spans like those of real LLM applications, the same
// ones for the same seed: for benchmarks, and for tests that need many.
//
// Five environments share the spans 60/20/10/5/5. There are 50 services, 2000
// workflows, 10 models and 5000 customers; a trace has about eight spans, and
// sixteen traces run at once. A good half of the spans are calls of a model.
// Texts are words of a made-up vocabulary by Zipf's law, which compress about
// as well as prose does.
package spangen

import (
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	services      = 50
	workflows     = 2000
	customers     = 5000
	openTraces    = 16
	meanSpans     = 8
	llmShare      = 0.59 // of the spans under a root; a root is never a call
	defaultPeriod = 100 * time.Millisecond
)

// Options of a Generator; the zero value is useful.
type Options struct {
	Seed uint64
	// Start is when the first span starts; the zero value is the Unix epoch.
	Start time.Time
	// Period lies between the starts of two spans, on average. Default 100 ms.
	Period time.Duration
	// Retention is that of every environment. Default 720 h.
	Retention time.Duration
	// Texts, if there are any, are what every span asks a model and what it answers: all
	// spans are calls then, each of one exchange that is drawn.
	Texts []Exchange
}

// Exchange is a question to a model with its answer.
type Exchange struct{ Prompt, Completion string }

// Generator makes one span after the other. It is not safe for concurrent use.
type Generator struct {
	rand   *rand.Rand
	words  *vocabulary
	texts  []Exchange
	period time.Duration
	clock  int64
	envs   []tenant.Environment
	hosts  []host
	open   [openTraces]trace
}

// New returns a generator.
func New(o Options) *Generator {
	if o.Period <= 0 {
		o.Period = defaultPeriod
	}
	if o.Retention <= 0 {
		o.Retention = 720 * time.Hour
	}
	g := &Generator{
		rand:   rand.New(rand.NewPCG(o.Seed, 0x746f756368)),
		texts:  o.Texts,
		period: o.Period,
		envs:   environments(o.Retention),
	}
	if !o.Start.IsZero() {
		g.clock = o.Start.UnixNano()
	}
	g.words = newVocabulary(g.rand)
	g.hosts = newHosts(g.rand)
	return g
}

// Environments lists the owners of the spans, the busiest first.
func (g *Generator) Environments() []tenant.Environment { return g.envs }

func environments(retention time.Duration) []tenant.Environment {
	var envs []tenant.Environment
	for _, slug := range []string{"prd", "stg", "dev", "eu-prd", "eu-stg"} {
		envs = append(envs, tenant.Environment{
			ID:             tenant.EnvironmentID("env_" + slug),
			Slug:           slug,
			OrganizationID: "org_1",
			ProjectID:      "prj_1",
			Retention:      retention,
		})
	}
	return envs
}

// environment draws an owner: 60, 20, 10, 5 and 5 of a hundred.
func (g *Generator) environment() tenant.Environment {
	n := g.rand.IntN(100)
	for i, limit := range [...]int{60, 80, 90, 95} {
		if n < limit {
			return g.envs[i]
		}
	}
	return g.envs[4]
}

// Next returns the next span and says whose it is.
func (g *Generator) Next() (tenant.Environment, span.Span) {
	g.clock += int64(g.rand.ExpFloat64() * float64(g.period))
	t := &g.open[g.rand.IntN(openTraces)]
	if t.left == 0 {
		g.begin(t)
	}
	t.left--
	return t.env, g.span(t)
}

// trace is a trace under way.
type trace struct {
	id       span.TraceID
	root     span.ID
	left     int
	env      tenant.Environment
	host     *host
	workflow string
	customer string
	session  string
}

func (g *Generator) begin(t *trace) {
	*t = trace{
		left:     1 + g.rand.IntN(2*meanSpans-1),
		env:      g.environment(),
		host:     &g.hosts[g.rand.IntN(services)],
		workflow: "workflow_" + strconv.Itoa(g.rand.IntN(workflows)),
		customer: "customer-" + strconv.Itoa(g.rand.IntN(customers)),
		session:  g.hex(16),
	}
	g.fill(t.id[:])
}

func (g *Generator) fill(b []byte) {
	for i := range b {
		b[i] = byte(g.rand.Uint32())
	}
}

func (g *Generator) hex(n int) string {
	const digits = "0123456789abcdef"
	b := make([]byte, n)
	for i := range b {
		b[i] = digits[g.rand.IntN(len(digits))]
	}
	return string(b)
}
