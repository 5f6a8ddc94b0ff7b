// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/spangen"
	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

// benchTexts measures calls of a model whose prompts and completions are those of HaluEval, as
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
	b.WriteString("\nWritten by `make bench TEXTS=DIR`: " + o.conditions() + ".\n")
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

// readTexts returns HaluEval's questions and answers.
func readTexts(dir string) ([]spangen.Exchange, error) {
	questions, answers, err := dataset.HaluEval(dir)
	if err != nil {
		return nil, err
	}
	texts := make([]spangen.Exchange, len(questions))
	for i := range questions {
		texts[i] = spangen.Exchange{Prompt: questions[i].Text, Completion: answers[i].Text}
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
