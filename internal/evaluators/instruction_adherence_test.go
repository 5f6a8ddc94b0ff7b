// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/evaluators/constraints"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

func TestConstraintsHoldAndBreak(t *testing.T) {
	t.Parallel()
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }
	for _, row := range []struct {
		about, instructions, good, bad string
	}{
		{"number of words", "Write at least 10 words.", words(10), words(9)},
		{"number of words", "Use no more than ten words", words(10), words(11)},
		{"number of words", "in fewer than 10 words", words(9), words(10)},
		{"number of words", "Write a 100 word essay.", words(105), words(120)},
		{"number of words", "between 5 and 8 words", words(8), words(9)},
		{"number of words", "400 or more words", words(400), words(399)},
		{"number of words", "300+ word article", words(300), words(200)},
		{"number of words", "exactly 12 words", words(12), words(13)},
		{"number of sentences", "Answer in exactly two sentences.", "One here. Two here!", "Only one."},
		{"number of sentences", "Have more than 3 sentences.", "A b. C d. E f. G h.", "A b. C d. E f."},
		{"number of paragraphs", "Write exactly 2 paragraphs.", "one\n\ntwo", "one"},
		{"number of paragraphs", "There should be 3 paragraphs separated by the markdown divider: ***", "a\n***\nb\n***\nc", "a\n\nb\n\nc"},
		{"bullet points", "Your answer must contain exactly 2 bullet points.", "* a\n* b", "* a\n* b\n- c"},
		{"placeholders", "at least 2 placeholders, such as [name]", "[a] and [b]", "[a]"},
		{"highlighted parts", "Highlight at least 2 sections in markdown", "*a* and **b**", "*a*"},
		{"highlighted parts", "at least two sections should be highlighted", "*a* and **b**", "a"},
		{"sections", "It has 2 sections marked with SECTION X.", "SECTION 1\na\nSECTION 2\nb", "SECTION 1\na"},
		{"no commas", "Do not use any commas.", "a b", "a, b"},
		{"words to use", `Include the keywords "mom" and "mother".`, "Mom is a mother", "mom"},
		{"words to use", "Don’t forget to include the keywords waste, material and meal.", "waste material meal", "wasted material meal"},
		{"words to avoid", `The word "rock" should not appear in your response.`, "rocket", "Rock!"},
		{"words to avoid", "Do not include the following keywords: field, thanks.", "fields", "no thanks"},
		{"frequency of a word", "Use the word war at least twice.", "war and war", "war"},
		{"frequency of a word", `The word "dose" should appear less than 2 times.`, "dose", "dose dose"},
		{"frequency of a letter", "The letter e should appear at most once.", "tree"[:3], "tree"},
		{"lower case", "Use only lowercase letters.", "abc é", "Abc"},
		{"lower case", "No capital letters are allowed.", "abc", "ABC"},
		{"capital letters", "Answer in all capital letters.", "ABC 1 É", "ABc"},
		{"capital letters", "in all capitals, no lowercase letters allowed", "ABC", "abc"},
		{"words in capital letters", "Words with all capital letters should appear at least 2 times.", "BIG and LOUD", "BIG"},
		{"a title in << >>", "It must contain a title, wrapped in double angular brackets.", "<<a title>>", "<title>"},
		{"a postscript", "Add a postscript starting with P.S.", "Text\nP.S. more", "Text"},
		{"a postscript", "end it with a post script starting with P.P.S", "Text\nP.P.S more", "Text\nP.S. more"},
		{"double quotation marks", "Wrap your entire response with double quotation marks.", ` "a" `, `"a" b`},
		{"the last phrase", `Finish with the exact phrase "Is there more?"`, "Text. Is there more?", "Is there more? Yes."},
		{"the last phrase", "End your response with the exact phrase: Peace!", "Text. Peace!", "Peace! Text."},
		{"the first phrase", `Start your answer with "Dear customer".`, "Dear customer, we are sorry.", "Hello, dear customer."},
		{"the first phrase", `Always begin with the exact phrase “As an assistant”.`, "**As an assistant** I say so.", "As an assistants' friend"},
		{"the first phrase", `Every reply must start with "Ahoy!"`, "ahoy! There.", "There. Ahoy!"},
		{"the first word of a paragraph", `The second paragraph must start with the word "President".`, "a b\n\nPresident x", "President a\n\nb"},
		{"the first word of a paragraph", "Start the last paragraph with the word elm", "a\n\nb\n\nElm.", "elm\n\nb"},
		{"the first word of a paragraph", "Paragraph 2 must start with the word it", "a\n\nit is", "it"},
		{"JSON", "Your entire output should be in JSON format.", "```json\n{\"a\": 1}\n```", "Here: {}"},
		{"two answers", "Give two different responses separated by 6 asterisk symbols: ******.", "a ****** b", "a ****** a"},
		{"one of the phrases", `Answer with one of the following phrases: "yes it is", "no it is not".`, "Well, yes it is", "maybe"},
		{"one of the phrases", "Choose from:\nMy answer is yes.\nMy answer is no.\n", "My answer is no.", "No."},
		{"the request repeated first", "Write a poem.\nFirst repeat the request word for word without change, then give your answer.", "Write a poem. Roses.", "Roses."},
		{"the script of the language", "Respond using only the Kannada language.", "ನಮಸ್ಕಾರ", "hello"},
		{"number of characters", "At most 80 characters, please.", "Short.", strings.Repeat("long ", 20)},
		{"number of characters", "Your tweet must not exceed 40 characters.", "Short.", strings.Repeat("long ", 20)},
		{"number of words", "I don't want anything longer than 30 words.", words(30), words(31)},
		{"number of words", "Limit your reply to 8 words.", words(8), words(9)},
		{"number of words", "Max. 12 words.", words(12), words(13)},
		{"number of words", "15 words tops.", words(15), words(16)},
		{"number of words", "Stay below one hundred words.", words(99), words(100)},
		{"number of words", "Each bullet point must have at most 4 words.", "- " + words(4) + "\n- a", "- " + words(5)},
		{"number of sentences", "Explain it in a single sentence.", "It works like this.", "It works. Like this."},
		{"number of sentences", "Organize it in 2 or 3 sentences.", "A b. C d.", "A b."},
		{"number of lines", "Write exactly four lines.", "a\nb\nc\nd", "a\nb\nc"},
		{"one word", "Reply with a single word.", "Lisbon.", "It is Lisbon."},
		{"one word", "One-word answers only.", "Lisbon", "In Lisbon"},
		{"yes or no", "Respond with only yes or no.", "No.", "No, since it is late."},
		{"yes or no", "Begin with yes or no, then explain.", "Yes, since it is early.", "Since it is early."},
		{"yes or no", "Return true or false.", "false", "perhaps"},
		{"emoji", "Please leave out emojis.", "Good :)", "Good 👍🏽"},
		{"emoji", "Add at least two emojis.", "👍🏽 and 🎉", "👍🏽"},
		{"exclamation marks", "Don't use emojis or exclamation points.", "Good.", "Good!"},
		{"digits", "Your reply must not contain any digits.", "two", "2"},
		{"numbers", "Without numbers.", "two", "2"},
		{"links", "Include a link.", "See https://example.com.", "See the page."},
		{"hashtags", "Use exactly three hashtags.", "#a #b #c", "#a #b"},
		{"bullet points", "Present the steps as bullet points.", "- a\n- b", "a and b"},
		{"bullet points", "No bullet lists.", "a and b", "* a\n* b"},
		{"a numbered list", "Answer in the form of a numbered list.", "1. a\n2) b", "a and b"},
		{"numbers of lines", "Number each line.", "1. a\n2. b", "1. a\nb"},
		{"number of items", "Give three reasons as a bulleted list.", "- a\n- b\n- c", "- a\n- b"},
		{"tables", "Show the result as a Markdown table.", "| a | b |\n|---|:-:|\n| 1 | 2 |", "a: 1, b: 2"},
		{"code blocks", "Put the command in a code block.", "```\nls\n```", "ls"},
		{"bold text", "Write the total in bold.", "It is **12**.", "It is 12."},
		{"Markdown", "Do not use markdown.", "plain", "# Title"},
		{"the first phrase", "Open with 'Good morning'.", "Good morning, all.", "Hello."},
		{"the first phrase", "Never start your answer with 'Sure'.", "Well, yes.", "Sure, yes."},
		{"the first phrase", `Your first words must be "To whom".`, "To whom it may concern", "Dear all"},
		{"the last phrase", "Sign off with 'Kind regards'.", "Done. Kind regards", "Kind regards, done"},
		{"the last phrase", `Do not end with "Cheers".`, "Bye.", "Cheers!"},
		{"a question at the end", "Finish with a short question.", "Fine. Does that help?", "Does that help? Fine."},
		{"words to use", `The term "deductible" must appear.`, "Your deductible is 5.", "You pay 5."},
		{"words to avoid", "Never say 'unfortunately' or 'sorry'.", "It is late.", "Sorry, it is late."},
		{"JSON", "Return only valid JSON.", `{"a": 1}`, "a: 1"},
		{"JSON keys", `Reply with JSON that has the keys "name" and "age".`, `{"name": 1, "age": 2}`, `{"name": 1}`},
		{"number of words", "Antworte mit maximal 12 Wörtern.", words(12), words(13)},
		{"number of sentences", "Fasse dich in höchstens zwei Sätzen.", "Es regnet. Ich bleibe.", "Es regnet. Ich bleibe. Hier."},
		{"number of characters", "Schreibe nicht mehr als 40 Zeichen.", "Kurz.", strings.Repeat("lang ", 20)},
		{"one word", "Nenne die Hauptstadt mit einem Wort.", "Rom", "Es ist Rom"},
		{"yes or no", "Antworte nur mit Ja oder Nein.", "Nein.", "Vielleicht."},
		{"emoji", "Bitte keine Emojis verwenden.", "Gut", "Gut 👍"},
		{"tables", "Zeige das Ergebnis als Tabelle.", "| a | b |\n|---|---|\n| 1 | 2 |", "a und b"},
		{"the first phrase", "Beginne mit „Sehr geehrte“.", "Sehr geehrte Frau Kurz", "Hallo Frau Kurz"},
		{"a question at the end", "Beende die Antwort mit einer Frage.", "Gut. Passt das?", "Gut."},
		{"words to avoid", "Das Wort „leider“ darf nicht vorkommen.", "Es ist spät.", "Es ist leider spät."},
		{"the language", "Antworte immer auf Englisch.", "The museum opens at nine in the morning.", "Das Museum öffnet um neun Uhr am Morgen."},
		{"the language", "Answer in German.", "Das ist ein schönes Haus am See.", "That is a beautiful house by the lake."},
		{"the language", "You are a guide. Your replies must always be written in Spanish, whatever the visitor speaks.", "El museo abre a las nueve de la mañana.", "The museum opens at nine in the morning."},
		{"the language", "Write a poem in Italian", "Il museo apre alle nove del mattino.", "O museu abre às nove da manhã."},
	} {
		found := constraints.Recognise(row.instructions)
		var of *constraints.Constraint
		for i := range found {
			if found[i].About == row.about {
				of = &found[i]
			}
		}
		require.NotNil(t, of, "%s in %q", row.about, row.instructions)
		require.True(t, of.Holds(row.good), "%q: %q", row.instructions, row.good)
		require.False(t, of.Holds(row.bad), "%q: %q", row.instructions, row.bad)
	}
}

func TestInstructionsThatAreNotRecognised(t *testing.T) {
	t.Parallel()
	for _, instructions := range []string{
		"Be kind and formal.", "You are a helpful assistant for a bank.", "Explain what a comma is.", "Write a sentence about words.",
		`Each line of it has to start with "Yes".`, `Tell a story of letters that start with "Dear".`, `Each bullet should begin with "We".`,
		"If the user writes in German, answer in German.", "Do not answer in English.", "I will speak to you in English, and you translate it.", "Answer in English or German.", "Write an essay on the church in French history.", "Explain how to say it in Dutch.",
		"Explain how to add a table in Word.", "Why do teenagers use emojis?", "You may use emojis.", "Write a story with two characters.", "What does the word 'sun' mean?", "Is it yes or no?",
		"If you are unsure, answer yes or no.", "Describe the table in the kitchen.", "Wie füge ich eine Tabelle ein?", "Use a table if it helps.", "Write a title of at most 5 words for each section.",
		"A paragraph about JSONB columns.", "Use the tone of a teacher.", "Mention nothing about the weather.", "\x00\xff", strings.Repeat("a ", 20_000),
	} {
		require.Empty(t, constraints.Recognise(instructions), "%.60s", instructions)
	}
	e, _ := Catalog().Get("instruction-adherence")
	refuses(t, e, map[string]any{"instructions": "Be kind.", "response": "a"}, nil, fault.NotConfigured, "needs a judge model for these instructions")
	// The language of a few letters is not recognized.
	refuses(t, e, map[string]any{"instructions": "Answer in German.", "response": "Ja."}, nil, fault.NotConfigured, "needs a judge model for these instructions")
	refuses(t, e, map[string]any{"instructions": "Answer in German. Use no commas.", "response": "Ja."}, nil, fault.NotConfigured, "all that a program can check is followed (1), and 1 cannot be checked")
}

func TestKeptInstructionsAreBounded(t *testing.T) {
	t.Parallel()
	reader := newInstructionReader()
	for i := range 2 * keptInstructions {
		found, err := reader.read(fmt.Sprintf("Write %d words.", i+3))
		require.NoError(t, err)
		require.Len(t, found.constraints, 1)
	}
	require.Equal(t, keptInstructions, reader.small.Len())
	reader.small.Purge()
	_, err := reader.read(strings.Repeat("a", maxKeptInstruction+1))
	require.NoError(t, err)
	require.Zero(t, reader.small.Len())
	_, err = reader.read(strings.Repeat("a", maxInstructions+1))
	require.True(t, fault.Is(err, fault.TooLarge))
}

func TestInstructionAdherenceScores(t *testing.T) {
	t.Parallel()
	e, _ := Catalog().Get("instruction-adherence")
	for _, row := range []struct {
		instructions, response string
		want                   float64
	}{
		{"", "", 1},
		{"Be kind.", " ", 0},
		{"Use no commas. Write at most 3 words. All lowercase.", "A b c d", 1. / 3},
		{"Use no commas. Write at most 3 words. All lowercase.", "a b c", 1},
	} {
		got, err := fromSpan(t.Context(), e, parts{"instructions": row.instructions, "output": row.response}, nil)
		require.NoError(t, err)
		require.InDelta(t, row.want, got.Outputs[0].Value, 1e-12, row.instructions)
		require.NotEmpty(t, got.Outputs[1].Value)
	}
}

// Only where nothing is left to check is everything followed.
func TestAdherenceIsOnlyClaimedWhereAllWasChecked(t *testing.T) {
	t.Parallel()
	e, _ := Catalog().Get("instruction-adherence")
	for instructions, n := range map[string]int{
		"Use no commas. Be kind.": 1,
		"Use no commas. Every sentence must have an even number of words.":                1,
		"Write at most 50 words in a formal tone.":                                        1,
		"Answer in all lowercase letters, and start each line with a vowel.":              1,
		"You are a clerk.\n- Use no commas\n- Never mention a competitor\n- Cite sources": 2,
		"Use at least 5 words that rhyme. All lowercase.":                                 1,
		"Use at least 2 words, each starting with a vowel.":                               1,
		"Write at most 9 words in alphabetical order.":                                    1,
		"Write at least 5 words, beginning with 'Dear'.":                                  1,
		"Write at most 20 words with a footnote.":                                         1,
	} {
		refuses(t, e, map[string]any{"instructions": instructions, "response": "all is well here now"}, nil, fault.NotConfigured, "needs a judge model")
		require.Equal(t, n, constraints.Unchecked(constraints.Demands(instructions)), "%s: %q", instructions, constraints.Demands(instructions))
	}
	for _, instructions := range []string{
		"Use no commas. Write a poem about the sea.", "You are a helpful assistant for a bank. Use no commas.", "What is the capital of France? Answer in all lowercase letters.",
		"Write a letter to a friend, and do not use any commas. Your answer must have at most 50 words.",
	} {
		got, err := fromSpan(t.Context(), e, parts{"instructions": instructions, "output": "all is well here"}, nil)
		require.NoError(t, err, instructions)
		require.InDelta(t, 1, got.Outputs[0].Value, 0, instructions)
	}
	got, err := fromSpan(t.Context(), e, parts{"instructions": "Use no commas. Be kind.", "output": "well, no"}, nil)
	require.NoError(t, err)
	require.InDelta(t, 0, got.Outputs[0].Value, 0)
	require.Contains(t, got.Outputs[1].Value, "Not checked: 1 other.")
}

func FuzzConstraints(f *testing.F) {
	f.Add("Write between 5 and 8 words, wrap it in double quotes, repeat the request first word for word.", "a, b")
	f.Add(`The 0th paragraph must start with the word "x". Include the keywords: , "" and ''. SECTION X 3 sections`, "******")
	f.Fuzz(func(_ *testing.T, instructions, response string) {
		for _, c := range constraints.Recognise(instructions) {
			c.Holds(response)
		}
		all := constraints.Demands(instructions)
		if n := constraints.Unchecked(all); n > len(all) {
			panic(n)
		}
	})
}

func BenchmarkInstructionAdherence(b *testing.B) {
	e, _ := Catalog().Get("instruction-adherence")
	span := parts{"instructions": "You are a helpful assistant. Do not use any commas and write at least 50 words in all lowercase letters.", "output": strings.Repeat("some words here ", 60)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := fromSpan(b.Context(), e, span, nil); err != nil {
			b.Fatal(err)
		}
	}
}
