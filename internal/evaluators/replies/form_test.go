// SPDX-License-Identifier: Apache-2.0

package replies

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed/usage"
)

func TestTheFormThatWasAskedForCounts(t *testing.T) {
	t.Parallel()
	const verse = "The leaves come down in gold and red,\nAnd every bird has gone to bed."
	for _, row := range []struct {
		question, fitting, other string
	}{
		{"List three ways to relax.", "Walk.\nRead.\nSleep.", "One may walk or read."},
		{"Write a function that doubles a number.", "```\nx => 2 * x\n```", "Sure, gladly."},
		{"Is the sky green?", "No, blue.", "Blue, as a rule."},
		{"Return the largest city as JSON.", "```json\n{\"name\": \"Oslo\"}\n```", "Oslo"},
		{"Name two towns as JSON", `["Bonn", "Oslo"]`, "Bonn, Oslo, {}"},
		{"Put it into a table with two columns.", "| a | b |\n|---|:--|\n| 1 | 2 |", "a 1, b 2 --- | and"},
		{"Compose a haiku for autumn.", verse, "It gets cold, and trees are bare."},
	} {
		require.Greater(t, fits(row.question, row.fitting), 1.0, row.question)
		require.InDelta(t, 1, fits(row.question, row.other), 1e-12, row.question)
		require.Greater(t, Relevance(row.question, row.fitting), Relevance(row.question, row.other), row.question)
		require.Less(t, fits("Where do otters sleep?", row.fitting), 1.0, row.fitting)
	}
	require.InDelta(t, 1, fits("", ""), 1e-12)
	// The form alone makes no answer one to the question.
	require.Less(t, Relevance("Write a poem.", verse), 0.5)
	require.Less(t, Relevance("List the rivers of Peru.", "Otters.\nBadgers.\nStoats."), 0.5)
}

func TestFormsOfVastTextsAreToldSoon(t *testing.T) {
	t.Parallel()
	question, answer := strings.Repeat("is it a list of code? ", 50_000), strings.Repeat("A line of verse,\nand a longer line that is none of it at all, whatever one may say;", 20_000)
	require.Less(t, usage.Took(func() { fits(question, answer) }), time.Second)
}
