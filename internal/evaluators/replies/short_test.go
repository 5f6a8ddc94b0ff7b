// SPDX-License-Identifier: Apache-2.0

package replies

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShortAnswersAreToQuestionsThatAskForThem(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		question, answer string
		want             bool
	}{
		{"What is the capital of France?", "Paris", true},
		{"What is 6 times 7?", "42", true},
		{"Is Pluto a planet?", "No.", true},
		{"Is the shop open?", "Yes, it is.", true},
		{"Hello! Could you tell me who discovered radium?", "Marie Curie", true},
		{"When did people first land on the moon?", "In 1969.", true},
		{"In which year did the wall fall?", "1989", true},
		{"I am planning a trip. Where is the Prado?", "Madrid, Spain", true},
		{"How many legs does a spider have?", "Eight.", true},
		{"How much is a ticket?", "Bananas.", false},
		{"When does it open?", "Marie Curie", false},
		{"When does it open?", "Next Tuesday.", true},
		{"Who wrote it?", "42", false},
		{"Is Pluto a planet?", "No idea.", false},
		{"Is Pluto a planet?", "Bananas.", false},
		{"Who wrote it?", "Yes.", false},
		{"Who wrote it?", "No clue.", false},
		{"Who wrote it?", "Unknown", false},
		{"Who wrote it?", "Who knows?", false},
		{"Who wrote it?", "Hello, thanks!", false},
		{"What is the capital of France?", "I like turtles.", false},
		{"What is the capital of France?", "I like eating pizza on weekends.", false},
		{"What is the capital of France?", "", false},
		{"Write an essay about bees.", "Paris.", false},
		{"Explain what a monad is.", "Paris.", false},
		{"How do bees find their way home?", "Paris.", false},
		{"", "Paris.", false},
	} {
		require.Equal(t, row.want, ShortAnswer(row.question, row.answer), "%s / %s", row.question, row.answer)
	}
}
