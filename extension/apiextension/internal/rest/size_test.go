// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

func TestBodiesAreBoundedBeforeTheyAreDecoded(t *testing.T) {
	t.Parallel()
	var s Schema // which would panic: nothing is decoded
	for name, c := range map[string]struct{ body, says string }{
		"values":          {`{"a":[` + strings.Repeat("1,", maxValues) + `1]}`, "at most 100000 values"},
		"members":         {`{` + strings.Repeat(`"a":1,`, maxValues) + `"a":1}`, "at most 100000 values"},
		"lists":           {`{"a":[` + strings.Repeat("[],", maxValues/2) + `[]]}`, "at most 100000 values"},
		"levels":          {strings.Repeat(`{"a":[`, 33) + strings.Repeat("]}", 33), "deeper than 64 levels"},
		"levels, no JSON": {strings.Repeat("[", 65), "deeper than 64 levels"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := s.Check([]byte(c.body))
			require.Equal(t, fault.Invalid, fault.KindOf(err))
			require.ErrorContains(t, err, c.says)
		})
	}
	for name, body := range map[string]string{
		"texts":    `{"a":"` + strings.Repeat(`,[{\"\\`, maxValues) + `"}`,
		"most":     `{"a":[` + strings.Repeat("1,", maxValues-4) + `1]}`,
		"levels":   strings.Repeat("[", 64) + strings.Repeat("]", 64),
		"an end":   `"\`,
		"no end":   `"aaa`,
		"negative": strings.Repeat("]", 100),
	} {
		require.NoError(t, checkSize([]byte(body)), name)
	}
}

// The decoder has a bound of its own, at which it says that the text is no JSON.
func TestBodiesThatAreNestedTooDeepAreToldSo(t *testing.T) {
	t.Parallel()
	err := DecodeObject([]byte(strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)), &struct{}{})
	require.Equal(t, "request body must not be nested deeper than 64 levels", fault.Message(err))
}

// What is counted is at least what a decoder makes of the text.
func FuzzCheckSize(f *testing.F) {
	f.Add(`{"a":[1,"b\"]",{"c":null}]}`)
	f.Add(`"\\\"[["`)
	f.Fuzz(func(t *testing.T, text string) {
		var v any
		if checkSize([]byte(text)) != nil || json.Unmarshal([]byte(text), &v) != nil {
			return
		}
		values, levels := tally(v)
		require.LessOrEqual(t, values, maxValues)
		require.LessOrEqual(t, levels, maxLevels)
	})
}

// tally returns how many values there are in a decoded one, and how many levels of
// lists and objects.
func tally(v any) (values, levels int) {
	values = 1
	var within []any
	switch v := v.(type) {
	case []any:
		within, levels = v, 1
	case map[string]any:
		levels = 1
		for _, e := range v {
			within = append(within, e)
		}
	}
	deepest := 0
	for _, e := range within {
		n, l := tally(e)
		values += n
		deepest = max(deepest, l)
	}
	return values, levels + deepest
}
