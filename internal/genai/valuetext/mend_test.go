// SPDX-License-Identifier: Apache-2.0

package valuetext_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
)

const whole = `[{"role":"user","parts":[{"type":"text","content":"a \"b\" \u00e9\ud83d\ude00 \\"}, 12.5e3, true, null]},{"x":{}, "y" : [ ]}]`

// Wherever JSON is cut, what is left of it is JSON again.
func TestMendedJSONIsJSON(t *testing.T) {
	t.Parallel()
	for end := 1; end < len(whole); end++ {
		mended, cut := valuetext.Mend(whole[:end])
		require.True(t, cut, whole[:end])
		require.True(t, json.Valid([]byte(mended)), "%s\n%s", whole[:end], mended)
	}
	for _, text := range []string{whole, "", "a", `"a`, "12", "]", "[}", `{"a" {`, strings.Repeat("[", 2000), whole + "x"} {
		_, cut := valuetext.Mend(text)
		require.False(t, cut, text)
	}
	mended, _ := valuetext.Mend(`{"a":"b… [cut: 12 bytes]`)
	require.JSONEq(t, `{"a":"b"}`, mended)
}

func FuzzMend(f *testing.F) {
	f.Add(whole, 20)
	f.Add(`{"a":[1,{"b":"c"}`, 8)
	f.Fuzz(func(t *testing.T, text string, end int) {
		if end < 0 || end > len(text) || !json.Valid([]byte(text)) {
			valuetext.Mend(text)
			return
		}
		if mended, cut := valuetext.Mend(text[:end]); cut {
			require.True(t, json.Valid([]byte(mended)), mended)
		}
	})
}
