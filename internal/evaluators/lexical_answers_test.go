// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/evaluators/conversation"
	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/replies"
	"github.com/touchstone-otel/touchstone/internal/testbed/usage"
)

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

// Results are certain where words tell, and only there.
func TestRelevancyIsCertainWhereWordsTell(t *testing.T) {
	t.Parallel()
	e, _ := Catalog().Get("answer-relevancy")
	long := strings.Repeat("Bees collect nectar from flowers in spring and store honey inside wax combs near their queen and her larvae. ", 3) +
		"Beekeepers smoke hives, lift frames, spin combs, filter wax, fill jars, paint labels, feed syrup, treat mites, trap wasps, plant clover, sell candles."
	for _, row := range []struct {
		question, answer    string
		relevant, uncertain bool
	}{
		{"Which city hosted the summer Olympics of 1992 and which stadium opened them?", "The summer Olympics of 1992 were hosted by the city of Barcelona, in the Montjuïc stadium.", true, false},
		{"Explain how a suspension bridge carries the weight of heavy lorries across a deep valley.", long, false, false},
		{"Explain how bridges work.", long, false, true},
		{"Drive", "After 3 kilometres, turn right into Commercial Drive. Shall I go on?", true, true},
		{"Who wrote the report?", "I don't know who wrote the report.", false, false},
		{"Do you have a list of museums?", "I am sorry, I don't quite understand what you mean. I am only able to help you book a table.", false, true},
		{"I hope it's not too expensive though.", "I'm sorry, I can't help with that.", false, true},
		{"Goodbye!", "Goodbye!", true, true},
	} {
		got, result, err := run(t, e, string(toJSON(t, map[string]string{"question": row.question, "answer": row.answer})), "{}")
		require.NoError(t, err)
		require.Equal(t, row.relevant, got["is_relevant"], row.answer)
		require.Equal(t, row.uncertain, result.Uncertain, row.answer)
	}
}

// The same sentence with another unit of the same measure is denied, and certainly.
func TestOtherUnitsAreCertainlyUnfaithful(t *testing.T) {
	t.Parallel()
	e, _ := Catalog().Get("faithfulness")
	for _, row := range []struct {
		context, answer     string
		faithful, uncertain bool
	}{
		{"The mast is 12 m tall.", "The mast is 12 km tall.", false, false},
		{"The crate weighs 40 kg.", "The crate weighs 40 g.", false, false},
		{"The bottle holds 2 litres.", "The bottle holds 2 millilitres.", false, false},
		{"The dose is 5 mg.", "The dose is 5 mg.", true, false},
		{"The trip takes 90 minutes.", "The trip takes 90 passengers.", false, true},
		{"The pipe is 3 metres long.", "The pipe is 3 m long.", true, true},
	} {
		got, result, err := run(t, e, string(toJSON(t, map[string]string{"question": "", "context": row.context, "completion": row.answer})), "{}")
		require.NoError(t, err)
		require.Equal(t, row.uncertain, result.Uncertain, row.answer)
		if !row.uncertain {
			require.Equal(t, row.faithful, got["is_faithful"], row.answer)
		}
	}
	// What is not so may follow from other words.
	_, result, err := run(t, e, `{"question": "", "context": "She winked and laughed at every joke of the evening.", "completion": "Her sister was not solemn."}`, "{}")
	require.NoError(t, err)
	require.True(t, result.Uncertain)
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
		{"The Falcons beat the Rangers in the final on Sunday.", "The Falcons beat the Rangers in the final.", "The Rangers beat the Falcons in the final."},
		{"The trail to the hut is 5 km long.", "The trail to the hut is 5 km long.", "The trail to the hut is 5 miles long."},
		{"The fund raised 12 million euros.", "The fund raised 12 million euros.", "The fund raised 12 billion euros."},
		{"The exhibition opens in May.", "The exhibition opens in May.", "The exhibition opens in June."},
		{"The farm keeps 30 goats and 12 sheep.", "The farm keeps 12 sheep.", "The farm keeps 30 sheep."},
		{"Seven nurses and three doctors work the night shift.", "Three doctors work the night shift.", "Seven doctors work the night shift."},
		{"The clinic treated 410 patients in 2019 and 520 in 2020.", "The clinic treated 520 patients in 2020.", "The clinic treated 530 patients in 2020."},
		{"Laura Finch and Peter Osman founded the agency.", "Laura Finch founded the agency.", "Laura Osman founded the agency."},
		{"The crew ate before the storm reached the harbour.", "The storm reached the harbour after the crew ate.", "The crew ate after the storm reached the harbour."},
		{"Nadia is older than Filip.", "Filip is younger than Nadia.", "Nadia is younger than Filip."},
		{"Marta sold the car before Jonas changed jobs.", "Marta sold the car before Jonas changed jobs.", "Jonas changed jobs before Marta sold the car."},
	} {
		given := newSupport("", row.context+" More will be known soon.")
		require.True(t, given.supports(row.borneOut), "%s", row.borneOut)
		require.False(t, given.supports(row.not), "%s", row.not)
	}
	months := newSupport("", "The soldiers march in spring, before the shop opens in June.")
	require.True(t, months.supports("The soldiers march in spring."), "a verb is no month")
	passive := newSupport("", "Rhenus Media acquired Lakeside Pottery in spring.")
	require.True(t, passive.supports("Lakeside Pottery was acquired by Rhenus Media."), "the same, told from the other side")
}

// An answer with the opposite of a word says otherwise, however it begins.
func TestOppositesOfWhatIsToldAreNotBorneOut(t *testing.T) {
	t.Parallel()
	e, _ := Catalog().Get("faithfulness")
	for _, row := range []struct {
		question, context, borneOut, not string
	}{
		{"Are you open on Mondays?", "We are closed on Mondays.", "No, it is closed on Mondays.", "Yes, it is open on Mondays."},
		{"Can I bring my dog?", "Dogs are forbidden in the dining hall.", "No, dogs are not allowed in the dining hall.", "Yes, dogs are allowed in the dining hall."},
		{"Did they take the offer?", "The board refused the offer from the bank.", "No, the board did not accept the offer from the bank.", "Yes, the board accepted the offer from the bank."},
		{"Is breakfast included?", "Breakfast is included in the room rate.", "Yes. The room rate includes breakfast.", "No, breakfast is excluded from the room rate."},
		{"Is the heating turned on?", "The heating is turned on in October.", "It is turned on in October.", "The heating is turned off in October."},
		{"Can I still get in?", "The concert on Friday is sold out.", "The concert on Friday is sold out.", "Tickets for the concert on Friday are available."},
		{"Is the gate locked?", "The gate to the yard is locked.", "Yes, the gate to the yard is locked.", "No, the gate to the yard is unlocked."},
		{"Is the gate locked?", "The gate to the yard is unlocked.", "No, the gate to the yard is unlocked.", "Yes, the gate to the yard is locked."},
		{"", "The market is on Friday, and the shops take part.", "The market is on Friday.", "The market is on Sunday."},
	} {
		for answer, want := range map[string]bool{row.borneOut: true, row.not: false} {
			got, _, err := run(t, e, string(toJSON(t, map[string]string{"question": row.question, "context": row.context, "completion": answer})), "{}")
			require.NoError(t, err)
			require.Equal(t, want, got["is_faithful"], answer)
		}
	}
}

// What is said of some is not borne out of all, and what is said of one thing is not of another.
func TestMoreThanIsToldIsNotBorneOut(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ context, borneOut, not string }{
		{"Some of the rooms have a balcony.", "Some rooms have a balcony.", "All of the rooms have a balcony."},
		{"Most employees work from home on Fridays.", "Most employees work from home on Fridays.", "All employees work from home on Fridays."},
		{"A few windows were broken in the storm.", "A few windows were broken in the storm.", "All windows were broken in the storm."},
		{"Some rooms face the sea, and all rooms have a balcony.", "All rooms have a balcony.", "No rooms have a balcony."},
		{"The rooms have a balcony.", "All rooms have a balcony.", "No rooms have a balcony."},
		{"The bus is sometimes late in winter.", "The bus is sometimes late in winter.", "The bus is always late in winter."},
		{"The bus is often late in winter.", "In winter the bus is often late.", "The bus is never late in winter."},
		{"Many guests liked the soup with carrots and leek.", "Many guests liked the soup with carrots and leek.", "Everyone liked the soup with carrots and leek."},
		{"The clinic treats cats and dogs.", "The clinic treats cats.", "The clinic treats only cats."},
		{"The pool is reserved for members.", "The pool is only for members.", "The pool is only for guests of the sauna."},
		{"The museum is closed on Monday and the garden on Tuesday.", "The garden is closed on Tuesday.", "The museum is closed on Tuesday."},
		{"The train runs on Friday and the bus on Saturday.", "The bus runs on Saturday.", "The bus runs on Friday."},
		{"The museum is closed on Monday and for repairs on Tuesday.", "The museum is closed on Tuesday.", "The museum is closed on Wednesday."},
		{"The apples are harvested in autumn and the cherries in summer.", "The cherries are harvested in summer and the apples in autumn.", "The apples are harvested in summer and the cherries in autumn."},
		{"The pool opens in May and closes in September.", "The pool closes in September.", "The pool opens in September and closes in May."},
		{"The committee met in May and the report was published in June.", "The report was published in June.", "The report was published in May."},
	} {
		given := newSupport("", row.context)
		require.True(t, given.supports(row.borneOut), "%s: %s", row.context, row.borneOut)
		require.False(t, given.supports(row.not), "%s: %s", row.context, row.not)
	}
}

// A yes or no alone claims what the question asks for, and nothing where it asks for nothing.
func TestYesAndNoAloneClaimWhatIsAsked(t *testing.T) {
	t.Parallel()
	e, _ := Catalog().Get("faithfulness")
	for _, row := range []struct {
		question, context string
		yes, no           bool
	}{
		{"Is the museum open on Mondays?", "The museum is open on Mondays.", true, false},
		{"Is the museum open on Mondays?", "The museum is closed on Mondays.", false, true},
		{"Hi! Can guests bring dogs?", "Guests cannot bring dogs.", false, true},
		{"Does the warranty cover water damage?", "The warranty covers water damage for two years.", true, false},
		{"Was the bridge built in 1933?", "The bridge was built in 1932.", false, true},
		{"Do you ship to Norway?", "We ship to Sweden and Denmark.", false, false},
		{"Can I park there?", "The castle was built in 1300.", false, false},
		{"Can I park there?", "", false, false},
		{"Tell me whether the shop is open on Sunday.", "The shop is closed on Sunday.", false, true},
		{"Hello there.", "The shop is closed on Sunday.", true, true},
		{"Hello there.", "", true, true},
		{"", "The shop is closed on Sunday.", true, true},
	} {
		for answer, want := range map[string]bool{"Yes.": row.yes, "yes": row.yes, "Yes, it is.": row.yes, "No.": row.no, "No!": row.no, "No, they don't.": row.no} {
			got, _, err := run(t, e, string(toJSON(t, map[string]string{"question": row.question, "context": row.context, "completion": answer})), "{}")
			require.NoError(t, err)
			require.Equal(t, want, got["is_faithful"], "%s %s", row.question, answer)
		}
	}
}

// A quantity is the same however it is written, and another one is none the less another.
func TestQuantitiesAreBorneOutHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		context     string
		borneOut    []string
		contradicts []string
	}{
		{
			"A ticket costs 12 euros.",
			[]string{"A ticket costs twelve euros.", "A ticket costs €12.", "A ticket costs a dozen euros."},
			[]string{"A ticket costs thirteen euros.", "A ticket costs $12.", "A ticket costs 13 euros."},
		},
		{
			"The shop opens at 9:00 and closes at 17:30.",
			[]string{"The shop opens at nine in the morning.", "The shop opens at 9 am.", "It opens at 9 a.m.", "The shop opens at nine o'clock.", "The shop closes at half past five.", "The shop opens at 9."},
			[]string{"The shop opens at nine in the evening.", "The shop opens at 10 am.", "The shop opens at ten o'clock.", "The shop closes at half past six."},
		},
		{
			"Visitors are let in until noon.",
			[]string{"Visitors are let in until 12 pm.", "Visitors are let in until 12:00."},
			[]string{"Visitors are let in until midnight.", "Visitors are let in until 11 am."},
		},
		{
			"Of all voters 30 % stayed at home.",
			[]string{"Thirty percent of all voters stayed at home.", "30 per cent of all voters stayed at home."},
			[]string{"Forty percent of all voters stayed at home."},
		},
		{
			"The city has 1,500,000 inhabitants.",
			[]string{"The city has 1.5 million inhabitants.", "The city has one and a half million inhabitants.", "The city has 1500000 inhabitants."},
			[]string{"The city has 1.5 billion inhabitants.", "The city has two million inhabitants.", "The city has 15,000 inhabitants."},
		},
		{
			"Half of the class walks to school.",
			[]string{"50 % of the class walks to school."},
			[]string{"60 % of the class walks to school."},
		},
		{
			"She came in 3rd in the race on 4 May.",
			[]string{"She came in third in the race on May 4th."},
			[]string{"She came in second in the race.", "She came in third in the race on May 5th."},
		},
	} {
		given := newSupport("", row.context)
		for _, claim := range row.borneOut {
			require.True(t, given.supports(claim), "%s: %s", row.context, claim)
		}
		for _, claim := range row.contradicts {
			require.False(t, given.supports(claim), "%s: %s", row.context, claim)
		}
	}
}

// Words of its own count in part where the context has something near to them.
func TestAnswersInOtherWordsAreBorneOut(t *testing.T) {
	t.Parallel()
	given := newSupport("", "The physician examined the injured child at the clinic on Monday.")
	require.True(t, given.supports("The doctor examined the wounded child at the hospital."))
	require.False(t, given.supports("The lawyer questioned the wealthy client at the office."))
	c := given.claim("The doctor examined Anna.")
	require.Zero(t, c.share[3], "nothing stands for a name")
	require.Greater(t, c.share[1], 0.2)
	require.Less(t, c.share[1], 1.0)
}

func TestQuestionsClaimNothing(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"It rained.", "No."}, statementsOf([]string{"It rained.", "Did it snow?", "No."}))
	require.Equal(t, []string{"Did it snow?"}, statementsOf([]string{"Did it snow?"}))
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
	for _, pieces := range [][2]string{
		{"two goats three ", "seven sheep eight "},
		{"Anna Bruno ", "Bruno Anna "},
		{"before older than ", "after younger than "},
		{"teacher doctor physician ", "nurse lawyer professor "},
		{"Anna beat ", "beat Anna Bruno "},
		{"we are closed forbidden now ", "open allowed not now we are "},
		{"9:00 a.m. a hundred ", "at nine one thousand "},
	} {
		context, answer := strings.Repeat(pieces[0], 100_000/len(pieces[0])), "Common words: "+strings.Repeat(pieces[1], 100_000/len(pieces[1]))
		took := usage.Took(func() { newSupport("", "Common words: "+context).supports(answer) })
		require.Less(t, took, 5*time.Second, pieces[0])
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
		require.Equal(t, row.want, lexical.Touches(topics{row.topic}, row.text) == 1, "%s in %s", row.topic, row.text)
	}
}

// An answer of another subject is none to a question that is on topic; one in other words is.
func TestAnswersOfAnotherSubjectAreOffTopic(t *testing.T) {
	t.Parallel()
	e, _ := Catalog().Get("topic-adherence")
	for _, row := range []struct{ topic, question, right, strays string }{
		{"cooking", "How do I boil an egg?", "Put it into boiling water for six minutes.", "The football match was won by the visitors in extra time."},
		{"machine learning", "How do I train a neural network with machine learning?", "Begin with data, choose a loss, and run gradient descent for some epochs.", "My favourite holiday was a trip to the beach in Spain."},
		{"health insurance", "Does my health insurance cover dental care?", "Yes, two check-ups a year, and half of the price of fillings.", "The new phone has a better camera and a longer battery life."},
		{"refunds", "How can I get a refund for my order?", "Send the parcel back within thirty days; the money is on your card a week later.", "Penguins live in the southern hemisphere and eat fish."},
		{"geography", "What is the capital of Australia in geography?", "It is Canberra.", "A worn bearing or a loose belt may squeal when the engine is cold."},
		{"poems", "Write two poems, please.", "Cherry blossoms bloom, pink petals adorn branches.", "I'm sorry, but I can't write poems."},
		{"travel", "Which visa do I need for travel to Japan?", "Citizens of the EU may stay ninety days without one.", "Mix the cement with sand and let it dry for a day."},
	} {
		for answer, on := range map[string]bool{row.right: true, row.strays: false} {
			got, _, err := run(t, e, string(toJSON(t, map[string]string{"question": row.question, "completion": answer, "reference_topics": row.topic})), "{}")
			require.NoError(t, err)
			if on {
				require.Greater(t, got["adherence_score"], 0.9, answer)
			} else {
				require.Zero(t, got["adherence_score"], answer)
			}
		}
	}
}

func TestLoopsAreFound(t *testing.T) {
	t.Parallel()
	steps := func(replies ...string) []conversation.Turn {
		var all []conversation.Turn
		for _, r := range replies {
			all = append(all, conversation.Turn{Assistant: r, HasAssistant: true})
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
		turns []conversation.Turn
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
		score, reason := loops(t.Context(), row.turns)
		require.InDelta(t, row.want, score, 0, "%v", row.turns)
		require.NotEmpty(t, reason)
	}
	score, _ := loops(t.Context(), []conversation.Turn{{User: "a", Assistant: "x"}})
	require.InDelta(t, 1, score, 0)
}

func TestListsOfTextsAreRead(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]conversation.Texts{
		`["a","b"]`: {"a", "b"},
		` [ ] `:     {},
		`[{"role":"user","content":"a"},{"text":"b"},{"content":null}]`:            {"a", "b", ""},
		`[{"content":[{"type":"text","text":"a"},{"type":"image"},{"text":"b"}]}]`: {"a\nb"},
		`["\u0000"]`: {"\x00"},
	} {
		var got conversation.Texts
		require.NoError(t, got.UnmarshalText([]byte(raw)), raw)
		require.Equal(t, want, got, raw)
	}
	for _, raw := range []string{``, `"a"`, `{}`, `[1]`, `[null]`, `[["a"]]`, `["a"`, `[{}]`, `[{"content":7}]`, `[{"content":[7]}]`, "[\"a\"] x", `['a']`} {
		var got conversation.Texts
		require.EqualError(t, got.UnmarshalText([]byte(raw)), "must be a JSON array of strings, or of objects with a content", raw)
	}
}

func TestPassagesAreRead(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]conversation.Passage{
		`a text`:                          {"a text"},
		``:                                {""},
		`["a",{"content":"b"},7,{"c":1}]`: {"a", "b", "7", `{"c":1}`},
		`[1] a note`:                      {"[1] a note"},
		`{"content":"a"}`:                 {`{"content":"a"}`},
	} {
		var got conversation.Passage
		require.NoError(t, got.UnmarshalText([]byte(raw)))
		require.Equal(t, want, got, raw)
	}
	require.Len(t, conversation.Passage{strings.Repeat("a.\n", 1500), strings.Repeat("a.\n", 1500)}.Sentences(), lexical.MostSentences)
}

func FuzzLists(f *testing.F) {
	for _, seed := range []string{`["a"]`, `[{"content":[{"text":"a"}]}]`, `a, b`, `[{"role":"assistant","tool_calls":[{}]}]`, "[\"\xff\"]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		var list conversation.Texts
		if list.UnmarshalText([]byte(raw)) == nil {
			_, err := conversation.Pair("a", "b", list, nil)
			require.Equal(t, len(list) == 0, err != nil)
		}
		var p conversation.Passage
		require.NoError(t, p.UnmarshalText([]byte(raw)))
		p.Sentences()
		require.NotEmpty(t, p.DataBlock().Name)
		var m conversation.Messages
		if m.UnmarshalText([]byte(raw)) == nil {
			m.CallsTools()
			m.HasRole("assistant")
		}
		var names topics
		if names.UnmarshalText([]byte(raw)) == nil {
			require.NotEmpty(t, names)
			lexical.Touches(names, raw)
		}
		replies.Declines(raw)
	})
}
