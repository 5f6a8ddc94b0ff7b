// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// dashboard is the part of Grafana's model that ours uses; anything else in the
// file is a mistake.
type dashboard struct {
	UID, Title, Description, Timezone, Refresh string
	Tags                                       []string
	SchemaVersion, Version                     int
	Editable                                   bool
	GraphTooltip, FiscalYearStartMonth         int
	Time                                       struct{ From, To string }
	Links                                      []any
	Annotations                                struct{ List []any }
	Templating                                 struct{ List []variable }
	Panels                                     []panel
}

type variable struct {
	Name, Label, Type, Definition, AllValue string
	Datasource                              source
	Query, Current                          any
	Refresh, Sort, Hide                     int
	Multi, IncludeAll                       bool
}

type source struct{ Type, UID string }

type panel struct {
	ID                       int
	Type, Title, Description string
	Collapsed                bool
	Datasource               source
	GridPos                  struct{ H, W, X, Y int }
	FieldConfig, Options     any
	Panels                   []any
	Targets                  []struct {
		RefID, Expr, LegendFormat string
		Datasource                source
	}
}

func readDashboard(t *testing.T) dashboard {
	t.Helper()
	f, err := os.Open("../deploy/grafana/touchstone.json")
	require.NoError(t, err)
	defer f.Close()
	var d dashboard
	dec := json.NewDecoder(f)
	dec.DisallowUnknownFields()
	require.NoError(t, dec.Decode(&d))
	return d
}

func TestDashboardIsWhole(t *testing.T) {
	t.Parallel()
	d := readDashboard(t)
	require.NotEmpty(t, d.UID)
	require.Positive(t, d.SchemaVersion)
	require.Equal(t, "datasource", d.Templating.List[0].Name)
	require.Equal(t, "datasource", d.Templating.List[0].Type)
	ids := map[int]bool{}
	taken := map[[2]int]string{}
	for _, p := range d.Panels {
		require.False(t, ids[p.ID], p.Title)
		ids[p.ID] = true
		require.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, p.Title)
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				place := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				require.Empty(t, taken[place], p.Title)
				taken[place] = p.Title
			}
		}
		if p.Type == "row" {
			continue
		}
		require.Equal(t, source{"prometheus", "${datasource}"}, p.Datasource, p.Title)
		require.NotEmpty(t, p.Targets, p.Title)
		refs := map[string]bool{}
		for _, target := range p.Targets {
			require.False(t, refs[target.RefID], p.Title)
			refs[target.RefID] = true
			require.Equal(t, p.Datasource, target.Datasource)
			for _, pair := range []string{"()", "{}", "[]"} {
				require.Equal(t, strings.Count(target.Expr, pair[:1]), strings.Count(target.Expr, pair[1:]), target.Expr)
			}
		}
	}
}

// rare are metrics that appear only after something that no test can bring
// about from outside, and where they are made.
var rare = map[string]string{
	"touchstone_store_expire_failures":  "../extension/storeextension/counts.go",
	"touchstone_store_refresh_failures": "../extension/storeextension/counts.go",
}

// All that the dashboard and the table of docs/metrics.md name is there once
// a collector has had something to do, with the labels they name, or is listed by a
// gateway, or by a worker without a judge. None tells of what is in no table.
func TestDashboardAsksForWhatThereIs(t *testing.T) {
	t.Parallel()
	expressions := map[string]string{} // with the panel's title
	for _, p := range readDashboard(t).Panels {
		for _, target := range p.Targets {
			expressions[target.Expr] = p.Title
		}
	}
	documented := documentedMetrics(t)
	var exposed map[string]map[string]bool
	missing := func() (list []string) {
		for expression, title := range expressions {
			for _, name := range metricNames(expression) {
				if exposed[name] == nil && rare[name] == "" {
					list = append(list, title+": "+name)
				}
			}
		}
		for name := range documented {
			if exposed[name] == nil && exposed[name+"_bucket"] == nil && rare[name] == "" {
				list = append(list, "docs/metrics.md: "+name)
			}
		}
		slices.Sort(list)
		return list
	}

	j := startJudge(t)
	h, gateway := busyCollector(t), startFleet(t, j, 1, 0).gateways[0]
	_, lacking, _, _ := startWithLackingWorker(t, j)
	deadline := time.Now().Add(patience)
	for {
		exposed = gateway.metrics(t)
		maps.Copy(exposed, lacking.metrics(t))
		maps.Copy(exposed, h.metrics(t))
		if len(missing()) == 0 || time.Now().After(deadline) {
			break
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-t.Context().Done():
		}
	}
	require.Empty(t, missing())
	for name, file := range rare {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Contains(t, string(b), `"`+name+`"`, "%s does not make %s", file, name)
	}

	for expression, title := range expressions {
		names := metricNames(expression)
		require.NotEmpty(t, names, title)
		for _, label := range labelNames(expression) {
			for _, name := range names {
				if rare[name] == "" {
					require.True(t, exposed[name][label], "%s: %s has no label %s", title, name, label)
				}
			}
		}
	}
	for name, labels := range documented {
		has := map[string]bool{}
		maps.Copy(has, exposed[name])
		maps.Copy(has, exposed[name+"_bucket"])
		delete(has, "le")
		if rare[name] == "" {
			require.Equal(t, slices.Sorted(maps.Keys(has)), labels, "docs/metrics.md: %s", name)
		}
	}
	for name := range exposed {
		base := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
		if strings.HasPrefix(name, "touchstone_") {
			require.Contains(t, documented, base, "docs/metrics.md lacks %s", base)
		}
	}
}

// metrics scrapes the collector: the labels of each metric.
func (h *collector) metrics(t *testing.T) map[string]map[string]bool {
	t.Helper()
	resp, err := http.Get("http://127.0.0.1:" + h.Env["TOUCHSTONE_METRICS_PORT"] + "/metrics")
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	found := map[string]map[string]bool{}
	for line := range strings.Lines(string(body)) {
		m := regexp.MustCompile(`^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? `).FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if found[m[1]] == nil {
			found[m[1]] = map[string]bool{}
		}
		for _, label := range regexp.MustCompile(`(\w+)="(?:[^"\\]|\\.)*"`).FindAllStringSubmatch(m[2], -1) {
			found[m[1]][label[1]] = true
		}
	}
	return found
}

var (
	matchers  = regexp.MustCompile(`\{[^}]*\}`)
	grouping  = regexp.MustCompile(`\b(?:by|without)\s*\(([^)]*)\)`)
	window    = regexp.MustCompile(`\[[^\]]*\]`)
	word      = regexp.MustCompile(`[a-zA-Z_:][\w:]*`)
	functions = map[string]bool{"sum": true, "max": true, "rate": true, "increase": true, "histogram_quantile": true}
)

// metricNames are the names in an expression that are no functions and no
// labels.
func metricNames(expression string) (names []string) {
	for _, strip := range []*regexp.Regexp{matchers, grouping, window} {
		expression = strip.ReplaceAllString(expression, " ")
	}
	for _, name := range word.FindAllString(expression, -1) {
		if !functions[name] && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// labelNames are the labels in an expression, but those that Prometheus adds.
func labelNames(expression string) (labels []string) {
	for _, g := range grouping.FindAllStringSubmatch(expression, -1) {
		labels = append(labels, word.FindAllString(g[1], -1)...)
	}
	for _, m := range matchers.FindAllString(expression, -1) {
		for _, l := range regexp.MustCompile(`(\w+)\s*(?:=|!)`).FindAllStringSubmatch(m, -1) {
			labels = append(labels, l[1])
		}
	}
	return slices.DeleteFunc(labels, func(l string) bool { return l == "job" || l == "instance" })
}

// documentedMetrics reads the table of docs/metrics.md: the labels of each
// metric, sorted.
func documentedMetrics(t *testing.T) map[string][]string {
	t.Helper()
	doc, err := os.ReadFile("../docs/metrics.md")
	require.NoError(t, err)
	found := map[string][]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `((?:touchstone|otelcol)_\\w+)` \\| \\w+ \\| ([^|]*?) ?\\|").FindAllStringSubmatch(string(doc), -1) {
		var labels []string
		for _, l := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(m[2], -1) {
			labels = append(labels, l[1])
		}
		slices.Sort(labels)
		found[m[1]] = labels
	}
	require.NotEmpty(t, found)
	return found
}
