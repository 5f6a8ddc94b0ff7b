// SPDX-License-Identifier: Apache-2.0

package quantities

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
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
		"12 euro":     {"12 euros", "twelve euros", "€12", "12 €", "€ 12.00", "a dozen euros", "12.00 euros"},
		"1.5 dollar":  {"$1.50", "1.5 dollars"},
		"1500000":     {"1.5 million", "1,500,000", "1 500 000", "1.500.000", "1'500'000", "one and a half million", "one million five hundred thousand", "1500 thousand"},
		"500000":      {"half a million", "500,000", "five hundred thousand", "500 thousand"},
		"21":          {"21", "twenty-one", "Twenty one"},
		"345":         {"345", "three hundred and forty-five", "three hundred forty five"},
		"100":         {"100", "a hundred", "one hundred"},
		"24":          {"24", "two dozen", "twenty-four"},
		"2.5 hour":    {"2.5 hours", "two and a half hours", "2 and a half hours"},
		"30 percent":  {"30 %", "30%", "thirty percent", "30 per cent", "thirty per cent"},
		"half of all": {"half of all", "50 % of all", "fifty percent of all"},
		"third prize": {"third prize", "3rd prize"},
		"march 3":     {"March 3", "March 3rd"},
		"3 of may":    {"3rd of May", "third of May"},
		"9h30":        {"9:30", "half past nine", "09:30", "9:30:00"},
		"8h45":        {"8:45", "quarter to nine"},
		"12h00":       {"noon", "12:00", "midday"},
		"3.10":        {"3.10"},
		"1.500":       {"1.500"},
		"0":           {"zero", "0"},
		"one of them": {"one of them"},
		"1 percent":   {"one percent", "1 %"},
		"20 20":       {"twenty twenty"},
		"5 and 7":     {"five and seven"},
		"5 6":         {"five six"},
		"10 00 8":     {"10 00 8"},
		"2019":        {"2019"},
		"a lot of":    {"a lot of"},
		"hundr of":    {"hundreds of"},
		"0x1f":        {"0x1f"},
		"8 cat 3 dog": {"8 cats. Three dogs", "eight cats, 3 dogs"},
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

func TestQuantitiesOfVastTextsAreReadSoon(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"one hundred and ", "100 ", "a.m. ", "9:00 at ", "€1,000 ", "and a half ", "million ", "one thousand "} {
		start := time.Now()
		Words("7 " + strings.Repeat(part, 100_000))
		require.Less(t, time.Since(start), 5*time.Second, part)
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
