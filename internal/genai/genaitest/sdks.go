// SPDX-License-Identifier: Apache-2.0

package genaitest

import (
	"embed"
	"encoding/json"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

//go:embed testdata/sdks
var sdks embed.FS

// Said is a word of every text that people, models and tools say in SDKSpans.
const Said = "lease"

// SDKSpan is a span in the shape that the source of an SDK gives to it, with texts of our
// own.
type SDKSpan struct {
	Name string // of the file, and its place there
	Span ptrace.Span
	Want map[string]any // fields and parts of the span as its user expects them
}

// SDKSpans returns the spans of testdata/sdks, where each SDK has a file.
func SDKSpans(t testing.TB) (list []SDKSpan) {
	t.Helper()
	const dir = "testdata/sdks"
	entries, err := sdks.ReadDir(dir)
	require.NoError(t, err)
	for _, file := range entries {
		raw, err := sdks.ReadFile(path.Join(dir, file.Name()))
		require.NoError(t, err)
		var sdk struct {
			Source string // where the shape is from
			Spans  []struct {
				Name       string
				Attributes map[string]any
				Events     []struct {
					Name       string
					Attributes map[string]any
				}
				Want map[string]any
			}
		}
		require.NoError(t, json.Unmarshal(raw, &sdk), file.Name())
		require.NotEmpty(t, sdk.Source, file.Name())
		for i, x := range sdk.Spans {
			s := ptrace.NewSpan()
			s.SetName(x.Name)
			require.NoError(t, s.Attributes().FromRaw(x.Attributes))
			for _, e := range x.Events {
				added := s.Events().AppendEmpty()
				added.SetName(e.Name)
				require.NoError(t, added.Attributes().FromRaw(e.Attributes))
			}
			list = append(list, SDKSpan{strings.TrimSuffix(file.Name(), ".json") + "/" + strconv.Itoa(i), s, x.Want})
		}
	}
	require.NotEmpty(t, list)
	return list
}
