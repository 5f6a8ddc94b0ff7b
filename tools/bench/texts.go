// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/spangen"
)

// benchTexts measures calls of a model whose prompts and completions are those of a file, as
// each is sent again and again, and writes a section of its own.
func benchTexts(ctx context.Context, o options, binary, dir string, t *table) error {
	texts, err := readTexts(o.texts)
	if err != nil {
		return err
	}
	o.texts = fmt.Sprintf("%.2f KB", meanSize(texts)/1000)
	if err := measureTexts(ctx, o, binary, dir, texts, t); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("\nWritten by `make bench TEXTS=FILE`: " + o.conditions() + ".\n")
	fmt.Fprintf(&b, "All are calls of models, each with one of %d questions and their answers; the rest is as above.\n\n", len(texts))
	t.writeRows(&b)
	return o.writeSection(textsHeading, b.String())
}

func measureTexts(ctx context.Context, o options, binary, dir string, texts []spangen.Exchange, t *table) error {
	c, err := start(ctx, o, binary, dir)
	if err != nil {
		return err
	}
	defer c.Kill()
	g := spangen.New(spangen.Options{Seed: 1, Start: time.Now(), Texts: texts})
	keys, err := tenants(ctx, c, g, one)
	if err != nil {
		return err
	}
	if err := ingest(ctx, o, c, g, keys, t, "OTLP/gRPC to durable in DuckDB, 3 monitors on every span", ""); err != nil {
		return err
	}
	if err := c.Stop(); err != nil {
		return err
	}
	disk, err := diskUse(dir)
	if err != nil {
		return err
	}
	t.add("disk", "< 420 B per span of 1.46 KB", "%d B per span, verdicts included", disk/int64(o.spans))
	return nil
}

// readTexts reads questions and answers, a JSON object a line, by the names of fields that
// HaluEval's general data have.
func readTexts(name string) (texts []spangen.Exchange, err error) {
	f, err := os.Open(name) //nolint:gosec // the caller's file
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var x struct {
			Prompt     string `json:"user_query"`
			Completion string `json:"chatgpt_response"`
		}
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, len(texts)+1, err)
		}
		if x.Prompt == "" || x.Completion == "" {
			return nil, fmt.Errorf("%s: line %d has no user_query or no chatgpt_response", name, len(texts)+1)
		}
		texts = append(texts, spangen.Exchange{Prompt: x.Prompt, Completion: x.Completion})
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("%s has no line", name)
	}
	return texts, nil
}

// meanSize returns how many bytes of OTLP a span with such texts has, without the resource
// that spans share.
func meanSize(texts []spangen.Exchange) float64 {
	const n = 2000
	g := spangen.New(spangen.Options{Seed: 1, Texts: texts})
	spans := make([]span.Span, n)
	for i := range spans {
		_, spans[i] = g.Next()
	}
	var m ptrace.ProtoMarshaler
	return float64(m.TracesSize(spangen.Traces(spans))) / n
}
