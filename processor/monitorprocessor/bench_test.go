// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/tenant"
	"github.com/touchstone-otel/touchstone/internal/testbed/usage"
)

const batchSize = 1000

// perSpan measures the processor on batches of LLM spans and reports the time
// of one span. Making the batch is not measured, putting verdicts on it is.
func perSpan(b *testing.B, text string, setup func(want func(externalID string, slugs []string, rules ...monitor.Rule))) {
	live := newLive(b)
	setup(func(externalID string, slugs []string, rules ...monitor.Rule) {
		createSetup(b, live, externalID, slugs, rules...)
	})
	perSpanOf(b, text, live)
}

// perSpanOf measures with the setups that live has.
func perSpanOf(b *testing.B, text string, live *cache.Cache) {
	perSpanEach(b, func(int) string { return text }, live)
}

// perSpanEach is perSpanOf with a text of its own for each span.
func perSpanEach(b *testing.B, text func(i int) string, live *cache.Cache) {
	cfg := defaults()
	cfg.Budget = time.Hour
	p, _ := startProcessor(b, live, evaluators.Catalog(), cfg)
	made := stamped(batchSize)
	for i := range batchSize {
		spanAt(made, i).Attributes().PutStr("gen_ai.completion.0.content", text(i))
	}
	attributes := spanAt(made, 0).Attributes().Len()
	b.ReportAllocs()
	var spent time.Duration
	for b.Loop() {
		before := usage.CPUTime()
		if _, err := p.processTraces(b.Context(), made); err != nil {
			b.Fatal(err)
		}
		spent += usage.CPUTime() - before
		if spanAt(made, 0).Attributes().Len() == attributes {
			continue
		}
		b.StopTimer()
		for i := range batchSize {
			spanAt(made, i).Attributes().RemoveIf(func(key string, _ pcommon.Value) bool { return tenant.Reserved(key) })
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/batchSize, "ns/span")
	b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N)/batchSize, "cpu-ns/span")
}

func BenchmarkNoMonitor(b *testing.B) {
	perSpan(b, "short", func(func(string, []string, ...monitor.Rule)) {})
}

func BenchmarkTenMonitorsNoneMatching(b *testing.B) {
	value := "never"
	perSpan(b, "short", func(create func(string, []string, ...monitor.Rule)) {
		for i, key := range []string{
			"llm.vendor", "gen_ai.system", "attribute.3", "attribute.19", "absent",
			"gen_ai.request.model", "llm.request.model", "traceloop.workflow.name", "number", "attribute.7",
		} {
			create(strconv.Itoa(i), []string{"char-count"}, monitor.Rule{
				Key: key, Source: monitor.SpanAttributes, Operator: query.OpEquals, Value: &value,
			})
		}
	})
}

func BenchmarkThousandSetupsNoneMatching(b *testing.B) {
	perSpan(b, "short", func(create func(string, []string, ...monitor.Rule)) {
		for i := range 1000 {
			user := "user-" + strconv.Itoa(i)
			create(strconv.Itoa(i), []string{"char-count"},
				monitor.Rule{Key: "attribute.19", Source: monitor.SpanAttributes, Operator: query.OpEquals, Value: &user})
		}
	})
}

// BenchmarkThousandSetupsFiveMatching is of setups as a service makes them for its users: the
// same few attributes with another value in each.
func BenchmarkThousandSetupsFiveMatching(b *testing.B) {
	perSpan(b, "short", func(create func(string, []string, ...monitor.Rule)) {
		for i := range 1000 {
			vendor, user := "openai", "user-"+strconv.Itoa(i)
			if i%200 == 0 {
				user = "some value"
			}
			create(strconv.Itoa(i), []string{"char-count"},
				monitor.Rule{Key: "llm.vendor", Source: monitor.SpanAttributes, Operator: query.OpEquals, Value: &vendor},
				monitor.Rule{Key: "attribute.19", Source: monitor.SpanAttributes, Operator: query.OpEquals, Value: &user})
		}
	})
}

func BenchmarkThirtyEvaluations(b *testing.B) {
	kilobyte := strings.Repeat("All happy families are alike. ", 34)
	vendor := "openai"
	perSpan(b, kilobyte, func(create func(string, []string, ...monitor.Rule)) {
		for i := range 10 {
			create(strconv.Itoa(i), []string{"char-count", "word-count", "json-validator"},
				monitor.Rule{Key: "llm.vendor", Source: monitor.SpanAttributes, Operator: query.OpEquals, Value: &vendor})
		}
	})
}

// BenchmarkThirtyEvaluationsApart is of evaluators of which no two come to the same verdict by
// themselves.
func BenchmarkThirtyEvaluationsApart(b *testing.B) {
	kilobyte := strings.Repeat("All happy families are alike. ", 34)
	live := newLive(b)
	for i := range 10 {
		config := json.RawMessage(`{"setup": ` + strconv.Itoa(i) + `}`) // which no evaluator reads
		storeSetup(b, live, strconv.Itoa(i), []monitor.SetupEvaluator{
			{Slug: "char-count", Config: config}, {Slug: "word-count", Config: config}, {Slug: "json-validator", Config: config},
		}, exists("attribute."+strconv.Itoa(i)))
	}
	perSpanOf(b, kilobyte, live)
}

func BenchmarkThreeEvaluations(b *testing.B) {
	kilobyte := strings.Repeat("All happy families are alike. ", 34)
	perSpan(b, kilobyte, func(create func(string, []string, ...monitor.Rule)) {
		for _, slug := range []string{"char-count", "word-count", "json-validator"} {
			create(slug, []string{slug})
		}
	})
}

func BenchmarkFiveCountAndFormatEvaluators(b *testing.B) {
	kilobyte := strings.Repeat("All happy families are alike. ", 34)
	perSpan(b, kilobyte, func(create func(string, []string, ...monitor.Rule)) {
		create("m", []string{"char-count", "word-count", "char-count-ratio", "word-count-ratio", "json-validator"})
	})
}

func BenchmarkPIIProfanityAndTone(b *testing.B) {
	kilobyte := strings.Repeat("Dear Ms Ortega, thank you for your order; we are glad to help with it. ", 14)
	perSpan(b, kilobyte, func(create func(string, []string, ...monitor.Rule)) {
		create("m", []string{"pii-detector", "profanity-detector", "tone-detection"})
	})
}

// BenchmarkMaskingNothing is of texts, each another one, in which nothing is to be masked.
func BenchmarkMaskingNothing(b *testing.B) {
	kilobyte := strings.Repeat("Dear Ms Ortega, thank you for your order; we are glad to help with it. ", 14)
	live := newLive(b)
	asked, list := only("secrets-detector", monitor.ActMask, "")
	acts(b, live, "m", asked, list)
	asked, list = only("pii-detector", monitor.ActMask, `{"entities": "[\"EMAIL_ADDRESS\", \"PHONE_NUMBER\"]"}`)
	acts(b, live, "n", asked, list)
	perSpanEach(b, func(i int) string { return kilobyte + strconv.Itoa(i) }, live)
}
