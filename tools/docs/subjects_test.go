// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"context"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	subject = regexp.MustCompile(`^[a-z0-9][a-z0-9 ,./_-]*: ([a-z]+)\b`)
	// notImperative matches first words that are no imperative, and spared those of them that are.
	notImperative = regexp.MustCompile(`^(the|an?|what|how|who|when|where|which|why|no|it|\w*(ing|ed|[^su]s))$`)
	spared        = regexp.MustCompile(`^(bring|string|ring|embed|feed|need|seed|shed|speed|bias|canvas)$`)
)

// wrongSubject returns what is wrong with the subject of a commit, "" if nothing is.
func wrongSubject(s string) string {
	if len([]rune(s)) > 72 {
		return "longer than 72 characters"
	}
	verb := subject.FindStringSubmatch(s)
	switch {
	case verb == nil:
		return "not of the form area: imperative verb"
	case notImperative.MatchString(verb[1]) && !spared.MatchString(verb[1]):
		return "no imperative: " + verb[1]
	}
	return ""
}

// subjectsSince returns the subjects of the commits after the one that added a file. It returns
// none where the history cannot be read: without git, and in an archive of the sources.
func subjectsSince(ctx context.Context, file string) []string {
	git := func(args ...string) []string {
		out, err := exec.CommandContext(ctx, "git", append([]string{"-C", root}, args...)...).Output()
		if err != nil {
			return nil
		}
		return strings.Split(strings.TrimSpace(string(out)), "\n")
	}
	added := git("log", "--diff-filter=A", "--format=%H", "--", file)
	if len(added) == 0 || added[0] == "" {
		return nil
	}
	return git("log", "--no-merges", "--format=%s", added[len(added)-1]+"..HEAD")
}

func TestSubjectsOfCommits(t *testing.T) {
	t.Parallel()
	for _, s := range subjectsSince(t.Context(), "tools/docs/subjects_test.go") {
		if s != "" {
			require.Empty(t, wrongSubject(s), s)
		}
	}
}

func TestWrongSubjectsAreFound(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"docs: check the words of comments":          "",
		"cli, docs: process files in their order":    "",
		"store/duckdb: embed the schema":             "",
		"docs: checks the words":                     "no imperative: checks",
		"docs: checking the words":                   "no imperative: checking",
		"docs: checked the words":                    "no imperative: checked",
		"docs: the words of comments":                "no imperative: the",
		"docs: what a comment says":                  "no imperative: what",
		"Check the words of comments":                "not of the form area: imperative verb",
		"docs: " + strings.Repeat("a long word ", 6): "longer than 72 characters",
	} {
		require.Equal(t, want, wrongSubject(s), s)
	}
}
