// SPDX-License-Identifier: Apache-2.0

package language

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLanguagesAreTold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"The museum opened in the spring and shows pictures of the river.":                       "en",
		"Don't you think it's a bit late for that?":                                              "en",
		"Das Museum wurde im Frühjahr eröffnet und zeigt Bilder vom Rhein.":                      "de",
		"Bitte schreibe mir eine kurze Zusammenfassung von diesem Text.":                         "de",
		"Le musée a ouvert au printemps et montre des tableaux de la rivière.":                   "fr",
		"Aujourd’hui, c’est l’anniversaire de l’école.":                                          "fr",
		"El museo abrió en primavera y muestra cuadros del río que pasa por la ciudad.":          "es",
		"Il museo ha aperto in primavera e mostra quadri del fiume che passa in città.":          "it",
		"O museu abriu na primavera e mostra quadros do rio que passa pela cidade.":              "pt",
		"Het museum is in het voorjaar geopend en toont schilderijen van de rivier.":             "nl",
		"Muzeum zostało otwarte wiosną i pokazuje obrazy rzeki, która jest za miastem.":          "pl",
		"Müze ilkbaharda açıldı ve şehrin içinden geçen nehir için çok güzel bir yer.":           "tr",
		"Музей открылся весной, и в нём можно увидеть картины с видами реки.":                    "ru",
		"Музей відкрився навесні, і в ньому можна побачити картини з краєвидами річки.":          "uk",
		"博物馆春天开放，展出许多描绘河流的图画，欢迎大家前来参观，门票免费。":                                                     "zh",
		"美術館は春に開館し、川の絵を展示しています。":                                                                 "ja",
		"افتتح المتحف في الربيع ويعرض صورا للنهر":                                                "ar",
		"संग्रहालय वसंत में खुला और इसमें नदी के चित्र हैं।":                                     "hi",
		"1. Oslo 2. Bergen 3. Trondheim 4. Stavanger 5. Tromsø":                                  "",
		"for i := range rows { if err := store.Write(ctx, rows[i]); err != nil { panic(err) } }": "en",
		"Guten Morgen":  "",
		"こんにちは":         "ja",
		"안녕하세요":         "ko",
		"Привет, Мария": "ru",
		"Καλημέρα":      "el",
		"مرحبا":         "ar",
		"你好，你是谁？":       "zh",
		"你好":            "",
		"α + β = γδ":    "",
		"Say こんにちは":     "",
		"уоu аrе":       "",
		"Mary'nin gerçekten yavaş yürüyen kedisi çıktı": "tr",
		"Wstrząśnij złapaną użądloną pszczołą":          "pl",
		"":                                      "",
		"12345 67890 !!! ??? 12345 67890 12345": "",
		"\xff\xfe\xfd":                          "",
	} {
		if text[:min(3, len(text))] == "for" { // code is English or nothing, never anything else
			require.Contains(t, []string{"", "en"}, Of(text))
			continue
		}
		require.Equal(t, want, Of(text), text)
	}
}

func TestLettersOfNamesTellNothing(t *testing.T) {
	t.Parallel()
	require.Zero(t, ownLetter("Łódź, Gdańsk, İstanbul Beyoğlu 12"))
	require.Zero(t, ownLetter("naïve café"))
	require.Equal(t, 'ł', ownLetter("Łódź, a łódź"))
}

func TestFewLettersTellNothing(t *testing.T) {
	t.Parallel()
	short := "Wir sind schon da, und"
	require.Equal(t, "de", Of(short+" das ist gut"))
	require.Empty(t, Of("Wir sind schon da, ja"), "16 letters")
}

// What a long text is written in counts, not how it begins.
func TestLongTextsAreLookedAtInSeveralPlaces(t *testing.T) {
	t.Parallel()
	german := strings.Repeat("Das Museum wurde im Frühjahr eröffnet und zeigt Bilder vom Rhein. ", 200)
	require.Equal(t, "de", Of("Summarise the following text in one sentence. "+german))
	require.Equal(t, "de", Of(strings.Repeat("ü", 5000)+german), "cut in the midst of a character")
}

func FuzzOf(f *testing.F) {
	f.Add("Das Museum wurde im Frühjahr eröffnet.")
	f.Add("l'\xff''’ d’")
	f.Fuzz(func(t *testing.T, text string) {
		got := Of(text)
		require.Equal(t, got, Of(text))
		require.LessOrEqual(t, len(got), 2)
	})
}

func BenchmarkOf(b *testing.B) {
	text := strings.Repeat("The museum opened in the spring and shows pictures of the river. ", 16)
	b.ReportAllocs()
	for b.Loop() {
		Of(text)
	}
}
