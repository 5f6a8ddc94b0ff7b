// SPDX-License-Identifier: Apache-2.0

package modeltest

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
)

// proto builds a message of ONNX's protocol buffers.
type proto []byte

func (m proto) number(field protowire.Number, n int64) proto {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), uint64(n))
}

func (m proto) text(field protowire.Number, s string) proto {
	return protowire.AppendString(protowire.AppendTag(m, field, protowire.BytesType), s)
}

func (m proto) bytes(field protowire.Number, b []byte) proto {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), b)
}

const (
	typeFloat = 1
	typeInt64 = 7
)

func node(op string, inputs []string, output string, attributes map[string]int64) proto {
	var m proto
	for _, in := range inputs {
		m = m.text(1, in)
	}
	m = m.text(2, output).text(3, output).text(4, op)
	for name, value := range attributes {
		m = m.bytes(5, proto(nil).text(1, name).number(3, value).number(20, 2))
	}
	return m
}

func tensor(name string, kind int64, raw []byte, dims ...int64) proto {
	var m proto
	for _, d := range dims {
		m = m.number(1, d)
	}
	return m.number(2, kind).text(8, name).bytes(9, raw)
}

// value describes an input or output; a dimension below 0 is free.
func value(name string, kind int64, dims ...int64) proto {
	var shape proto
	for i, d := range dims {
		if d < 0 {
			shape = shape.bytes(1, proto(nil).text(2, []string{"batch", "sequence"}[i]))
			continue
		}
		shape = shape.bytes(1, proto(nil).number(1, d))
	}
	tensorType := proto(nil).number(1, kind).bytes(2, shape)
	return proto(nil).text(1, name).bytes(2, proto(nil).bytes(1, tensorType))
}

func int64s(values ...int64) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return b
}

type word struct {
	text   string
	logits [3]float32
}

// separator stands between two texts that are read together.
const separator = "[SEP]"

// words are the vocabulary: what each adds to the numbers of the labels.
func words() []word {
	return []word{
		{"[PAD]", [3]float32{100, 100, 100}}, // It must never count.
		{"[UNK]", [3]float32{0, 0, 0}},
		{"good", [3]float32{2, 0, -2}},
		{"bad", [3]float32{-2, 0, 2}},
		{"day", [3]float32{0, 1, 0}},
		{separator, [3]float32{0, 0, 0}},
	}
}

// ONNX is a tiny model for three labels: "good" speaks for the first and
// against the last, "bad" the other way, "day" for the second. Other words say
// nothing. The labels' numbers are sums over the words.
type ONNX struct {
	// Inputs are the names of its inputs; nil is token ids and attention mask.
	Inputs []string
	// PerToken gives a vector for each token instead of one for the text.
	PerToken bool
	// Pairs names the separator token in a file of the model.
	Pairs bool
	// Config is config.json; nil is three labels and 64 tokens.
	Config map[string]any
}

// Write writes the model's files into a directory that ends with the test.
func (m ONNX) Write(t testing.TB) string {
	t.Helper()
	if m.Inputs == nil {
		m.Inputs = []string{"input_ids", "attention_mask"}
	}
	if m.Config == nil {
		m.Config = map[string]any{
			"max_position_embeddings": 64,
			"id2label":                map[string]string{"0": "praise", "1": "smalltalk", "2": "blame"},
		}
	}
	var table []byte
	vocabulary := map[string]int{}
	for i, w := range words() {
		vocabulary[w.text] = i
		for _, x := range w.logits {
			table = binary.LittleEndian.AppendUint32(table, math.Float32bits(x))
		}
	}
	var graph proto
	for _, n := range []proto{
		node("Gather", []string{"table", "input_ids"}, "rows", map[string]int64{"axis": 0}),
		node("Cast", []string{m.Inputs[len(m.Inputs)-1]}, "mask", map[string]int64{"to": typeFloat}),
		node("Unsqueeze", []string{"mask", "last"}, "column", nil),
		node("Mul", []string{"rows", "column"}, "counted", nil),
		node("ReduceSum", []string{"counted", "first"}, "logits", map[string]int64{"keepdims": 0}),
	} {
		graph = graph.bytes(1, n)
	}
	graph = graph.text(2, "tiny").
		bytes(5, tensor("table", typeFloat, table, int64(len(words())), 3)).
		bytes(5, tensor("last", typeInt64, int64s(2), 1)).
		bytes(5, tensor("first", typeInt64, int64s(1), 1))
	for _, in := range m.Inputs {
		graph = graph.bytes(11, value(in, typeInt64, -1, -1))
	}
	if !m.PerToken {
		graph = graph.bytes(12, value("logits", typeFloat, -1, 3))
	} else {
		graph = graph.bytes(12, value("counted", typeFloat, -1, -1, 3))
	}
	file := proto(nil).number(1, 8).bytes(7, graph).bytes(8, proto(nil).text(1, "").number(2, 13))

	dir := t.TempDir()
	write := func(name string, data []byte) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	write("model.onnx", file)
	write("config.json", asJSON(t, m.Config))
	if m.Pairs {
		write("special_tokens_map.json", asJSON(t, map[string]string{"sep_token": separator}))
	}
	write("tokenizer.json", asJSON(t, map[string]any{
		"version": "1.0", "added_tokens": []any{map[string]any{
			"id": vocabulary[separator], "content": separator, "special": true,
			"single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
		}},
		"normalizer": map[string]any{"type": "Lowercase"}, "pre_tokenizer": map[string]any{"type": "Whitespace"},
		"model": map[string]any{"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
	}))
	return dir
}

func asJSON(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return b
}
