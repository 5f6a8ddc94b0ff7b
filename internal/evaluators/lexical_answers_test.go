// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
)

func TestRefusalsAreToldFromAnswers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"I'm sorry, but I can't help with that.":                              true,
		"I don't know.":                                                       true,
		"Sorry, as an AI language model, I cannot browse the web.":            true,
		"I am unable to answer this question. Please ask somebody else.":      true,
		"There is not enough information to tell.":                            true,
		"I must decline.":                                                     true,
		"As an AI language model, I cannot draw. However, I can describe it.": false,
		"I cannot draw, but here is a description: it is round.":              false,
		"The capital of France is Paris.":                                     false,
		"":                                                                    false,
		"You can't divide by zero.":                                           false,
		"I'm sorry, but I can't help with that. Picking locks that are not yours is illegal. It may harm others, and it has serious consequences. If you are locked out, please contact a locksmith. I am happy to help with something else.": true,
		"I cannot provide medical advice. I am not a doctor. A chest pain can be an emergency. Please seek help from a professional right away. Call the emergency number of your country.":                                                   true,
		"I'm unable to fulfill this request. It goes against my guidelines. Content of this kind hurts people. However, I would be glad to help you write something kind. Let me know what you need.":                                         true,
		"As an AI, I don't have access to real-time data. I cannot tell the weather of today. Please consult a website for it. My knowledge ends at my training.":                                                                             true,
		"I cannot predict the future. However, prices rose in each of the last five years. Demand is high. Supply is low. They may rise again.":                                                                                               false,
		"I can't believe it! Thank you so much. I worked hard for this. It has paid off. I am thrilled.":                                                                                                                                      false,
		"As an AI language model, I don't have preferences, but in general vanilla sells best. Chocolate comes second. Strawberry is third. Lemon is fourth.":                                                                                 false,
		"I cannot promote lies. The earth is round. Ships vanish hull first. Eclipses show a round shadow. Pilots fly around it.":                                                                                                             false,
		"I can't do it justice. It has five acts. It is long. Hamlet dies. So do others.":                                                                                                                                                     false,
	} {
		require.Equal(t, want, declines(text), text)
	}
}

func TestRequestsAreMet(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		request, reply string
		want           bool
	}{
		{"Book a table at Luigi's", "A table at Luigi's is booked.", true},
		{"Book a table at Luigi's", "Bananas are yellow.", false},
		{"Book a table at Luigi's", " ", false},
		{"Book a table at Luigi's", "I can't book a table at Luigi's.", false},
		{"Book a table at Luigi's", "Error: Luigi's table service timed out", false},
		{"Hi, thanks!", "You are welcome.", true},
		{"Hi, thanks!", "", false},
	} {
		require.Equal(t, row.want, met(row.request, row.reply), "%s / %s", row.request, row.reply)
	}
}

func TestFaithfulnessByWords(t *testing.T) {
	t.Parallel()
	given := newSupport("When did the museum open?", "The Rhine Museum opened in 1987 in Bonn. It shows 300 pictures.")
	for sentence, want := range map[string]bool{
		"The museum opened in 1987.":                  true,
		"It opened in Bonn in 1987.":                  true,
		"The museum opened in 1988.":                  false,
		"It opened in Cologne in 1987.":               false,
		"Elephants are large animals with grey skin.": false,
		"The museum in Bonn shows pictures.":          true,
		"THE MUSEUM OPENED IN BONN.":                  true,
		"I believe the museum opened in 1987.":        true,
		"Opened":                                      true,
		"Elephants":                                   false,
	} {
		require.Equal(t, want, given.supports(sentence), sentence)
	}
}

// The words are the same, or nearly: what is said is not.
func TestFactsTurnedAroundAreNotBorneOut(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		context, borneOut, not string
	}{
		{"The council approved the new bridge in Bonn.", "The council approved the new bridge.", "The council did not approve the new bridge."},
		{"The council did not approve the new bridge.", "The council didn't approve the new bridge.", "The council approved the new bridge."},
		{"Sales of the bakery rose in spring.", "In spring, sales of the bakery rose.", "Sales of the bakery fell in spring."},
		{"The museum opened before the library.", "The museum opened before the library.", "The museum opened after the library."},
		{"Rhenus Media acquired Lakeside Pottery in spring.", "Rhenus Media acquired Lakeside Pottery.", "Lakeside Pottery acquired Rhenus Media."},
		{"Anna has 12 sheep. Bruno has 30 goats and 4 dogs.", "Bruno has 30 goats and 4 dogs.", "Bruno has 12 goats and 4 dogs."},
		{"The orchestra may perform in Lisbon next summer.", "The orchestra may perform in Lisbon next summer.", "The orchestra performs in Lisbon next summer."},
		{"All guests of the hotel were vegetarian.", "All guests of the hotel were vegetarian.", "No guests of the hotel were vegetarian."},
	} {
		given := newSupport("", row.context+" More will be known soon.")
		require.True(t, given.supports(row.borneOut), "%s", row.borneOut)
		require.False(t, given.supports(row.not), "%s", row.not)
	}
	passive := newSupport("", "Rhenus Media acquired Lakeside Pottery in spring.")
	require.True(t, passive.supports("Lakeside Pottery was acquired by Rhenus Media."), "the same, told from the other side")
}

func TestOppositesExcludeOneAnother(t *testing.T) {
	t.Parallel()
	got := opposites()
	require.Greater(t, len(got), 200)
	for one, others := range got {
		for _, other := range others {
			require.NotEqual(t, one, other)
			require.Contains(t, got[other], one)
		}
	}
	require.Equal(t, map[string][]string{"up": {"down"}, "down": {"up"}}, readOpposites("# no\nup | down\nlonely\n"))
}

// Long texts of the same words over and over take time that grows with them.
func TestHostileContexts(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"Xyzzy. ", "xyzzy plugh ", "not ", "7 ", "A b. "} {
		text := strings.Repeat(piece, 100_000/len(piece))
		given := newSupport(text, text)
		for _, s := range lexical.Sentences(text) {
			given.supports(s)
		}
	}
}

func TestTopicsAreFoundByWords(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		topic, text string
		want        bool
	}{
		{"machine learning", "How do machines learn?", true},
		{"artificial intelligence", "Will AI replace us?", true},
		{"AI", "Will artificial intelligence replace us?", true},
		{"AI", "Will a red car win?", false},
		{"artificial intelligence", "Will ai replace us?", false},
		{"cooking", "Who won?", false},
		{"!", "Who won?", false},
	} {
		require.Equal(t, row.want, touches(topics{row.topic}, row.text) == 1, "%s in %s", row.topic, row.text)
	}
}

func TestLoopsAreFound(t *testing.T) {
	t.Parallel()
	steps := func(replies ...string) []turn {
		var all []turn
		for _, r := range replies {
			all = append(all, turn{assistant: r, hasAssistant: true})
		}
		return all
	}
	same := func(n int) (all []string) {
		for range n {
			all = append(all, "look it up")
		}
		return all
	}
	for _, row := range []struct {
		turns []turn
		want  float64
	}{
		{steps("a", "b", "c"), 1},
		{steps(same(2)...), 1},
		{steps(same(3)...), 0.5},
		{steps(same(5)...), 0.5},
		{steps(same(6)...), 0},
		{steps("look it up", "b", "look it up", "c", "look it up"), 0.5},
		{steps("Looking it up!", "look it up", "Look: it up.", "looks it up"), 0.5},
		{steps("", "", "", ""), 1},
		{nil, 1},
	} {
		score, reason := loops(row.turns)
		require.InDelta(t, row.want, score, 0, "%v", row.turns)
		require.NotEmpty(t, reason)
	}
	score, _ := loops([]turn{{user: "a", assistant: "x"}})
	require.InDelta(t, 1, score, 0)
}

func TestListsOfTextsAreRead(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]texts{
		`["a","b"]`: {"a", "b"},
		` [ ] `:     {},
		`[{"role":"user","content":"a"},{"text":"b"},{"content":null}]`:            {"a", "b", ""},
		`[{"content":[{"type":"text","text":"a"},{"type":"image"},{"text":"b"}]}]`: {"a\nb"},
		`["\u0000"]`: {"\x00"},
	} {
		var got texts
		require.NoError(t, got.UnmarshalText([]byte(raw)), raw)
		require.Equal(t, want, got, raw)
	}
	for _, raw := range []string{``, `"a"`, `{}`, `[1]`, `[null]`, `[["a"]]`, `["a"`, `[{}]`, `[{"content":7}]`, `[{"content":[7]}]`, "[\"a\"] x", `['a']`} {
		var got texts
		require.ErrorIs(t, got.UnmarshalText([]byte(raw)), errNoTexts, raw)
	}
}

func TestPassagesAreRead(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]passage{
		`a text`:                          {"a text"},
		``:                                {""},
		`["a",{"content":"b"},7,{"c":1}]`: {"a", "b", "7", `{"c":1}`},
		`[1] a note`:                      {"[1] a note"},
		`{"content":"a"}`:                 {`{"content":"a"}`},
	} {
		var got passage
		require.NoError(t, got.UnmarshalText([]byte(raw)))
		require.Equal(t, want, got, raw)
	}
	require.Len(t, passage{strings.Repeat("a.\n", 1500), strings.Repeat("a.\n", 1500)}.sentences(), lexical.MostSentences)
}

func FuzzLists(f *testing.F) {
	for _, seed := range []string{`["a"]`, `[{"content":[{"text":"a"}]}]`, `a, b`, `[{"role":"assistant","tool_calls":[{}]}]`, "[\"\xff\"]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		var list texts
		if list.UnmarshalText([]byte(raw)) == nil {
			_, err := conversation("a", "b", list, nil)
			require.Equal(t, len(list) == 0, err != nil)
		}
		var p passage
		require.NoError(t, p.UnmarshalText([]byte(raw)))
		p.sentences()
		require.NotEmpty(t, p.dataBlock().Name)
		var m messages
		if m.UnmarshalText([]byte(raw)) == nil {
			m.callsTools()
			m.hasRole("assistant")
		}
		var names topics
		if names.UnmarshalText([]byte(raw)) == nil {
			require.NotEmpty(t, names)
			touches(names, raw)
		}
		declines(raw)
	})
}
