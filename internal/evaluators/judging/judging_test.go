// SPDX-License-Identifier: Apache-2.0

package judging

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

// A prompt that changes is another measure. The author of the change gives it
// another version, and puts that into testdata/prompts.txt with the digest.
func TestPromptsThatChangeGetANewVersion(t *testing.T) {
	t.Parallel()
	entries, err := promptFiles.ReadDir("prompts")
	require.NoError(t, err)
	var lines []string
	for _, entry := range entries {
		text, err := promptFiles.ReadFile("prompts/" + entry.Name())
		require.NoError(t, err)
		p := PromptsOf(strings.TrimSuffix(entry.Name(), ".md"))
		lines = append(lines, fmt.Sprintf("%s %s %x", p.slug, p.Version, sha256.Sum256(text))[:len(p.slug)+len(p.Version)+18])
	}
	known, err := os.ReadFile(filepath.Join("testdata", "prompts.txt"))
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(string(known)), strings.Join(lines, "\n"))
}

func TestMalformedPromptsAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "# a\nb", "version: \n# a\nb", "version: 1", "version: 1\n# a\n", "version: 1\n# a\nb\n# a\nc"} {
		_, err := parsePrompts("x", text)
		require.Error(t, err, "%q", text)
	}
	p, err := parsePrompts("x", "version: 2\n\n# a\nOne.\n\nTwo.\n# b\nThree.")
	require.NoError(t, err)
	require.Equal(t, &Prompts{"x", "2", map[string]string{"a": "One.\n\nTwo.", "b": "Three."}}, p)
	require.Panics(t, func() { PromptsOf("no-such-evaluator") })
	err = p.Ask(t.Context(), eval.Models{}, "c", nil, nil)
	require.ErrorContains(t, err, `no step "c"`)
	require.True(t, fault.Is(err, fault.Internal))
}
