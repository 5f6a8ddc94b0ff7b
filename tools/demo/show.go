// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/internal/textcut"
)

// show prints the judged spans, a line each, and counts the others.
func show(page testbed.Page, evaluators []string) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "SPAN\tINSTRUMENTATION\tVENDOR\tTOKENS\tCOMPLETION") //nolint:errcheck // standard output
	for _, e := range evaluators {
		fmt.Fprint(w, "\t"+strings.ToUpper(e)) //nolint:errcheck // standard output
	}
	fmt.Fprintln(w) //nolint:errcheck // standard output
	others := 0
	for _, s := range page.Spans.Data {
		if s.SpanAttributes["llm.vendor"] == "" {
			others++
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s", //nolint:errcheck // standard output
			cut(s.Name, 24), cut(s.ScopeName, 34), s.SpanAttributes["llm.vendor"],
			dash(s.SpanAttributes["llm.usage.total_tokens"]), dash(cut(s.Completions["llm.completions.0.content"], 24)))
		for _, e := range evaluators {
			fmt.Fprint(w, "\t"+dash(verdict(s, e))) //nolint:errcheck // standard output
		}
		fmt.Fprintln(w) //nolint:errcheck // standard output
	}
	w.Flush() //nolint:errcheck // standard output
	fmt.Printf("\n%d spans, %d of them not calls of a model; a dash is a verdict that the span gives no input for\n", len(page.Spans.Data), others)
}

func verdict(s testbed.Span, evaluator string) string {
	for k, v := range s.SpanAttributes {
		if strings.HasPrefix(k, "evaluation."+evaluator+".") {
			return cut(v, 6)
		}
	}
	return ""
}

// cut returns a text on one line, of n characters at most.
func cut(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if _, more := textcut.Characters(s, n); more {
		beginning, _ := textcut.Characters(s, n-1)
		return beginning + "…"
	}
	return s
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// commands prints how to go on with a collector of one's own.
func commands(page testbed.Page) {
	from := int64(0)
	if len(page.Spans.Data) > 0 {
		from = page.Spans.Data[0].Timestamp/1000 - 60
	}
	fmt.Printf(`
The demo's collector has stopped. To go on with one that stays, on ./data:

  make run

and in another terminal:

  TOKEN=$(cat data/access_token)
  KEY=$(curl -s http://127.0.0.1:8080/v2/organizations -H "Authorization: Bearer $TOKEN" \
    -H 'Content-Type: application/json' -d '{"org_name":"Acme"}' | sed 's/.*"api_key":"\([^"]*\)".*/\1/')
  curl -s http://127.0.0.1:8080/v2/auto-monitor-setups -H "Authorization: Bearer $KEY" \
    -H 'Content-Type: application/json' -d '{"external_id":"answers","evaluators":["pii-detector","word-count"],
      "selector":[{"key":"span_type","source":"span_attributes","operator":"equals","value":"llm"}]}'
  curl -s http://127.0.0.1:8080/v2/evaluators/char-count/execute -H "Authorization: Bearer $KEY" \
    -H 'Content-Type: application/json' -d '{"input":{"text":"hello"}}'

  export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%%20$KEY"
  # … run your application, and then:
  curl -s "http://127.0.0.1:8080/v2/warehouse/spans?from_timestamp_sec=%d" -H "Authorization: Bearer $KEY"
`, from)
}
