// SPDX-License-Identifier: Apache-2.0

package quantities

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/testbed/usage"
)

func stems(words []lexical.Word) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = w.Stem
	}
	return strings.Join(all, " ")
}

func TestQuantitiesHaveOneStem(t *testing.T) {
	t.Parallel()
	for want, texts := range map[string][]string{
		"12 euro":          {"12 euros", "twelve euros", "€12", "12 €", "€ 12.00", "a dozen euros", "12.00 euros"},
		"1.5 dollar":       {"$1.50", "1.5 dollars"},
		"1500000":          {"1.5 million", "1,500,000", "1 500 000", "1.500.000", "1'500'000", "one and a half million", "one million five hundred thousand", "1500 thousand"},
		"500000":           {"half a million", "500,000", "five hundred thousand", "500 thousand"},
		"21":               {"21", "twenty-one", "Twenty one"},
		"345":              {"345", "three hundred and forty-five", "three hundred forty five"},
		"100":              {"100", "a hundred", "one hundred", "100.0", "100.00"},
		"24":               {"24", "two dozen", "twenty-four"},
		"2.5 hour":         {"2.5 hours", "two and a half hours", "2 and a half hours"},
		"30 percent":       {"30 %", "30%", "thirty percent", "30 per cent", "thirty per cent"},
		"half of all":      {"half of all", "50 % of all", "fifty percent of all"},
		"third prize":      {"third prize", "3rd prize"},
		"march 3":          {"March 3", "March 3rd"},
		"3 of may":         {"3rd of May", "third of May"},
		"9h30":             {"9:30", "half past nine", "09:30", "9:30:00"},
		"8h45":             {"8:45", "quarter to nine"},
		"12h00":            {"noon", "12:00", "midday"},
		"3.10":             {"3.10"},
		"1.500":            {"1.500"},
		"0":                {"zero", "0"},
		"one of them":      {"one of them"},
		"1 percent":        {"one percent", "1 %"},
		"20 20":            {"twenty twenty"},
		"5 and 7":          {"five and seven"},
		"5 6":              {"five six"},
		"10 00 8":          {"10 00 8"},
		"2019":             {"2019"},
		"a lot of":         {"a lot of"},
		"hundr of":         {"hundreds of"},
		"0x1f":             {"0x1f"},
		"1500000 dollar":   {"$1.5M", "$1.5 m", "1.5 million USD", "$1,500,000"},
		"2000000000 pound": {"£2bn", "£2 billion", "2 billion GBP"},
		"20000 user":       {"20k users", "20K users", "20,000 users"},
		"5- degre":         {"-5 degrees", "minus 5 degrees", "minus five degrees", "−5 degrees"},
		"pp 5 10":          {"pp 5-10"},
		"2 septemb 1945":   {"1945-09-02", "02.09.1945", "2. 9. 1945", "2 Sep 1945", "2nd Sept. 1945", "2 September 1945"},
		"septemb 2 1945":   {"Sep 2, 1945", "Sept. 2, 1945", "September 2nd, 1945"},
		"25 decemb 2020":   {"25/12/2020", "12/25/2020", "2020-12-25"},
		"3 4 2020":         {"3/4/2020"},
		"2020 13 40":       {"2020-13-40"},
		"mar 12 rover":     {"Mars 12 rovers"},
		"8 cat 3 dog":      {"8 cats. Three dogs", "eight cats, 3 dogs"},
	} {
		for _, text := range texts {
			require.Equal(t, want, stems(Words(text)), text)
		}
	}
	for _, text := range []string{"9:00 am", "9 am", "9am", "9 a.m.", "nine o'clock in the morning", "nine in the morning", "nine a.m."} {
		require.Equal(t, "9h00", stems(Claimed(text, func(string) bool { return false })), text)
	}
	require.Equal(t, "9h00 in the morn", stems(Words("nine in the morning")))
	require.Equal(t, "21h00 pm it", stems(Words("9 p.m. It")))
	require.True(t, Words("9 p.m. It")[2].First, "a sentence begins")
	require.False(t, Words("9 p.m. or so")[2].First)
}

func TestTimesAreThoseThatOthersKnow(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ claim, known, want string }{
		{"nine o'clock", "21h00", "21h00"},
		{"9:00", "21h00", "21h00"},
		{"at nine", "9h00", "at 9h00"},
		{"at nine", "21h00", "at 21h00"},
		{"at nine", "9", "at 9"},
		{"9 am", "21h00", "9h00"},
		{"9 pm", "9h00", "21h00"},
		{"17:00", "5", "5"},
		{"nine lives", "9h00", "9 live"},
		{"1", "one", "one"},
	} {
		require.Equal(t, row.want, stems(Claimed(row.claim, func(stem string) bool { return stem == row.known })), row.claim)
	}
}

func TestMeasuresAreInTheUnitThatOthersKnow(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ claim, known, want string }{
		{"5 km", "5000 metr", "5000 metr"},
		{"5km", "5000 metr", "5000 metr"},
		{"5000 meters", "5 km", "5 km"},
		{"5 km", "5 kilometr", "5 kilometr"},
		{"5 km", "5 mile", "5 km"},
		{"5 km", "5 km 5000 metr", "5 km"},
		{"90 minutes", "1.5 hour", "1.5 hour"},
		{"two weeks", "14 day", "14 day"},
		{"18 months", "1.5 year", "1.5 year"},
		{"0.25 litres", "250 ml", "250 ml"},
		{"2 tonnes", "2000 kg", "2000 kg"},
		{"5 km", "5000 euro", "5 km"},
	} {
		known := strings.Fields(row.known)
		require.Equal(t, row.want, stems(Claimed(row.claim, func(stem string) bool { return slices.Contains(known, stem) })), row.claim)
	}
}

func TestQuantitiesOfVastTextsAreReadSoon(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"one hundred and ", "100 ", "a.m. ", "9:00 at ", "€1,000 ", "and a half ", "million ", "one thousand ", "1.1.2000 ", "5 km ", "$1 m", "Sep 1 ", "minus 1 ", " -1"} {
		text := "7 " + strings.Repeat(part, 100_000)
		require.Less(t, usage.Took(func() { Words(text) }), 5*time.Second, part)
	}
}

func FuzzWords(f *testing.F) {
	f.Add("Half past nine a.m., €1.5 million – 3rd of May, 50 % \xff")
	f.Fuzz(func(t *testing.T, text string) {
		for _, w := range append(Words(text), Claimed(text, func(stem string) bool { return len(stem)%2 == 0 })...) {
			require.NotEmpty(t, w.Text)
		}
	})
}
