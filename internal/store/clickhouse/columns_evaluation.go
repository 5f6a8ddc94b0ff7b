// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"strconv"
	"strings"

	"github.com/ClickHouse/ch-go/proto"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// evaluationColumns are those of an evaluation. Spans have them as arrays, named
// with arrayPrefix, of the evaluations that came with the span.
var evaluationColumns = []evaluationColumn{
	evaluationText("setup", func(v *eval.Evaluation) *string { return &v.SetupID }),
	evaluationText("evaluator", func(v *eval.Evaluation) *string { return &v.Evaluator }),
	evaluationText("status", func(v *eval.Evaluation) *eval.Status { return &v.Status }),
	evaluationText("reason", func(v *eval.Evaluation) *string { return &v.Reason }),
	evaluationText("backend", func(v *eval.Evaluation) *eval.Backend { return &v.Backend }),
	evaluationText("prompt_version", func(v *eval.Evaluation) *string { return &v.Version }),
	evaluationText("model", func(v *eval.Evaluation) *string { return &v.Model }),
	evaluationText("source", func(v *eval.Evaluation) *eval.EvaluationSource { return &v.Source }),
	evaluationField("cached", "Bool", func(v *eval.Evaluation) *bool { return &v.Cached }),
	evaluationField("truncated", "Bool", func(v *eval.Evaluation) *bool { return &v.Truncated }),
	evaluationField("unpriced", "Bool", func(v *eval.Evaluation) *bool { return &v.Usage.Unpriced }),
	evaluationField("generation", "Int64", func(v *eval.Evaluation) *int64 { return &v.Generation }),
	evaluationField("probability", "Float64", func(v *eval.Evaluation) *float64 { return &v.Probability }),
	evaluationField("revision", "Int64", func(v *eval.Evaluation) *int64 { return &v.Revision }),
	evaluationField("prompt_tokens", "Int64", func(v *eval.Evaluation) *int64 { return &v.Usage.PromptTokens }),
	evaluationField("completion_tokens", "Int64", func(v *eval.Evaluation) *int64 { return &v.Usage.CompletionTokens }),
	evaluationField("cost", "Float64", func(v *eval.Evaluation) *float64 { return &v.Usage.Cost }),
	newEvaluationColumn("attempts", "Int64", func(v *eval.Evaluation) int64 { return int64(v.Attempts) }, func(v *eval.Evaluation, n int64) { v.Attempts = int(n) }),
	evaluationField("took", "Int64", func(v *eval.Evaluation) *int64 { return &v.Duration }),
	evaluationField("time", "Int64", func(v *eval.Evaluation) *int64 { return &v.Time }),
	newEvaluationColumn("score", "Float64", func(v *eval.Evaluation) float64 { return v.Grounds.Number() }, func(v *eval.Evaluation, x float64) { v.Grounds.SetNumber(x) }),
	newEvaluationColumn("grounds", "String", func(v *eval.Evaluation) string { return clean(v.Grounds.Text()) }, func(v *eval.Evaluation, s string) { v.Grounds.SetText(s) }),
	evaluationField("due", "Int64", func(v *eval.Evaluation) *int64 { return &v.Due }),
	newEvaluationColumn("names", "Array(String)", outputNames, setOutputNames),
	newEvaluationColumn("texts", "Array(String)", outputTexts, setOutputTexts),
	newEvaluationColumn("kinds", "String", outputKinds, setOutputKinds), // behind the texts, which it makes values of
}

// arrayPrefix is what the names of columns of spans begin with that are arrays of
// the columns of evaluations.
const arrayPrefix = "ev_"

// evaluationColumn is a column of an evaluation, alone and as an array.
type evaluationColumn struct {
	column[lateRow]
	array column[spanRow]
}

func evaluationText[T ~string](name string, at func(v *eval.Evaluation) *T) evaluationColumn {
	return newEvaluationColumn(name, "String", func(v *eval.Evaluation) string { return clean(string(*at(v))) }, func(v *eval.Evaluation, s string) { *at(v) = T(s) })
}

func evaluationField[T any](name, kind string, at func(v *eval.Evaluation) *T) evaluationColumn {
	return newEvaluationColumn(name, kind, func(v *eval.Evaluation) T { return *at(v) }, func(v *eval.Evaluation, x T) { *at(v) = x })
}

func newEvaluationColumn[T any](name, kind string, get func(v *eval.Evaluation) T, set func(v *eval.Evaluation, x T)) evaluationColumn {
	array := column[spanRow]{name: arrayPrefix + name, kind: "Array(" + kind + ")"}
	array.input = func(string) input[spanRow] { return &evaluationsInput[T]{proto.NewArray(newData[T](kind)), get} }
	array.target = func() (any, func(r *spanRow)) {
		v := new([]T)
		return v, func(r *spanRow) {
			if len(r.evaluations) < len(*v) { // of the first column
				r.evaluations = make([]eval.Evaluation, len(*v))
			}
			for i, x := range *v {
				set(&r.evaluations[i], x)
			}
		}
	}
	return evaluationColumn{
		column: of(name, kind,
			func(r *lateRow) T { return get(&r.evaluation) },
			func(r *lateRow, x T) { set(&r.evaluation, x) }).with("", "ZSTD(1)"),
		array: array.with("", shortCodec),
	}
}

// The kinds of outputs, one letter each.
const (
	kindText   = 's'
	kindReal   = 'f'
	kindWhole  = 'i'
	kindBool   = 'b'
	kindsOfNum = "fi"
)

func outputNames(v *eval.Evaluation) []string {
	list := make([]string, len(v.Outputs))
	for i := range v.Outputs {
		list[i] = clean(v.Outputs[i].Name)
	}
	return list
}

func setOutputNames(v *eval.Evaluation, list []string) {
	v.Outputs = nil
	for _, name := range list {
		v.Outputs = append(v.Outputs, eval.Output{Name: name})
	}
}

func outputTexts(v *eval.Evaluation) []string {
	list := make([]string, len(v.Outputs))
	for i := range v.Outputs {
		list[i] = clean(v.Outputs[i].Text())
	}
	return list
}

func setOutputTexts(v *eval.Evaluation, list []string) {
	for i := range v.Outputs {
		v.Outputs[i].Value = list[i]
	}
}

func outputKinds(v *eval.Evaluation) string {
	var b strings.Builder
	for i := range v.Outputs {
		b.WriteByte(kindOf(v.Outputs[i].Value))
	}
	return b.String()
}

func kindOf(value any) byte {
	switch value.(type) {
	case float64:
		return kindReal
	case int64:
		return kindWhole
	case bool:
		return kindBool
	}
	return kindText
}

func setOutputKinds(v *eval.Evaluation, kinds string) {
	for i := range v.Outputs {
		if s, ok := v.Outputs[i].Value.(string); ok {
			v.Outputs[i].Value = outputValue(kinds[i], s)
		}
	}
}

// outputValue returns the value that was stored as a text of a kind.
func outputValue(kind byte, s string) any {
	switch kind {
	case kindReal:
		n, _ := strconv.ParseFloat(s, 64)
		return n
	case kindWhole:
		n, _ := strconv.ParseInt(s, 10, 64)
		return n
	case kindBool:
		return s == "true"
	}
	return s
}
