// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProfanity(t *testing.T) {
	t.Parallel()
	for text, grade := range map[string]string{
		"":                                      "",
		"   \n":                                 "",
		"ok":                                    "",
		"😀":                                     "",
		"What the fuck is this?":                "strong",
		"WTF, shiiiit":                          "strong",
		"f u c k off":                           "strong",
		"fսck":                                  "strong",
		"f\u200bu\u200bc\u200bk":                "strong",
		"this is bullsh1t":                      "mild",
		"5h1t happens":                          "mild",
		"what a prick":                          "strong",
		"f*** that":                             "strong",
		"f**k, f-ck and f@ck":                   "strong",
		"you're a jackass":                      "mild",
		"&#102;&#117;&#99;k this":               "strong",
		"fffuuuccckkk":                          "strong",
		"pusssyyy":                              "strong",
		"absofuckinglutely":                     "strong",
		"shut up, f*ggot":                       "slur",
		"damn, that fag again, the stupid fag":  "slur",
		"The class assessed the passive mass":   "",
		"Scunthorpe and Penistone are towns":    "",
		"The boys sniggered at the Niger delta": "",
		"Please reset the nonce and slit the envelope": "",
		"Dick Van Dyke sang":                           "",
		"Moby Dick is a whale, you prick":              "strong",
		"Uncle Dick sang in the choir.":                "",
		"Mr. Butt analysed sextants.":                  "",
		"The game of craps is played with dice.":       "",
		"The talk of craps and shit":                   "mild",
		"We drove from Scunthorpe to Twatt in Orkney.": "",
		"The Blue Tit nests beside the pussy willow.":  "",
		"Homo sapiens":                                 "",
		"The walls are white":                          "",
		"I live in Nigeria":                            "",
		"She is a black lesbian from Niger":            "",
		"char **argv; a*b; s.*t; **bold**":             "",
		"Grüße aus Österreich":                         "",
		"🖕":                                            "strong",
		"Well, 🖕🏽 then":                                "strong",
		"A pointing finger 👆 and a thumb 👍🏽":           "",
		"Here is the s h 1 t you asked for":            "mild",
		strings.Repeat("All is well. ", 500) + "shit":  "mild",
	} {
		require.Equal(t, grade, profanity(text).grade, text[max(0, len(text)-60):])
		require.Equal(t, grade == "", firstOutput(t, "profanity-detector", text, nil), text[max(0, len(text)-60):])
	}
}

// Each language has its words, and those that are harmless in it are.
func TestProfanityOfOtherLanguages(t *testing.T) {
	t.Parallel()
	for text, grade := range map[string]string{
		"Das ist doch alles ein verdammter Scheißdreck hier.":         "mild",
		"Du bist wirklich ein Arschloch, mein Lieber.":                "strong",
		"Diese Kanaken haben hier nichts zu suchen, sagte er.":        "slur",
		"So ein Riesenarschloch":                                      "strong",
		"Der dicke Mann sah den Vögeln im Garten lange zu.":           "",
		"Die Firma stand in einem Shitstorm und schwieg dazu.":        "",
		"Ce n'est qu'un enfoiré, et il le sait très bien.":            "strong",
		"J'ai mal au cul depuis que je fais du vélo tous les jours.":  "mild",
		"La rue finit en cul-de-sac derrière la vieille église.":      "",
		"Nous sommes arrivés en retard.":                              "",
		"Nous sommes arrivés en retard, espèce de connard.":           "strong",
		"No me importa lo que digas, vete a la mierda.":               "mild",
		"Le dijo que era un hijo de puta delante de todos.":           "strong",
		"La concha que encontré en la playa es muy blanca.":           "",
		"Ma che cazzo vuoi da me questa sera?":                        "strong",
		"¡Coño, qué susto me has dado esta mañana!":                   "mild",
		"Pero qué COÑO estás haciendo ahora mismo.":                   "mild",
		"Dibuja un cono y calcula su volumen, por favor.":             "",
		"El cono de luz ilumina toda la habitación.":                  "",
		"La guerra di Troia durò dieci anni, come dice il poema.":     "",
		"Sei una brutta troia e non ti voglio più vedere.":            "strong",
		"Não quero saber disso, vai tomar no cu.":                     "strong",
		"O cobre tem o símbolo Cu na tabela periódica dos elementos.": "",
		"¡Coño! Dime.": "mild",
		"con\u0303o":   "mild",
		"cono":         "",
		"merde!":       "mild",
		"puta":         "strong",
		"con":          "",
		"Ο σκύλος κοιμάται στον κήπο, merde.": "mild",
	} {
		require.Equal(t, grade, profanity(text).grade, text)
	}
	require.Len(t, profanityLexicons, 6)
	require.Same(t, profanityIn("en"), profanityIn("nl"))
}

func TestEveryTermOfTheLexiconIsFound(t *testing.T) {
	t.Parallel()
	terms := strings.Split(strings.TrimSpace(profanityTerms), "\n")
	require.Greater(t, len(terms), 1000)
	for _, line := range terms {
		grade, term, ok := strings.Cut(line, ": ")
		require.True(t, ok, line)
		require.Contains(t, grades[1:], grade)
		_, found := profanityIn("en").Find("well, " + term + "?")
		require.True(t, found, term)
	}
}

// What stars hide is recognized by what they leave, and by nothing that code and
// prices leave too.
func TestMaskedWords(t *testing.T) {
	t.Parallel()
	for text, grade := range map[string]string{
		"f**k": "strong", "F***ING": "strong", "sh*t": "mild", "s***": "mild", "b!tch": "strong", "$hit": "mild", "n***a": "slur", "f*****g": "strong",
		"fu*king": "strong", "sh_t": "mild", "f****************k": "strong", "d4mn!": "mild", "f.ck": "strong", "\"f**k\",": "strong",
		"f": "", "f*": "", "*": "", "****": "", "f(**x)": "", "5*": "", "4.5": "", "a**b": "", "#1": "", "s*t": "", "p.s.": "", "f-16": "", "c++": "", "d.c.": "", "50%": "",
	} {
		var rude rudeWords
		rude.masked(text)
		require.Equal(t, grade, rude.grade, text)
	}
}

// Signs and digits stand for letters in words that are written in single characters,
// and tables, numbers, expressions and moves of chess are none.
func TestSpacedMaskedWords(t *testing.T) {
	t.Parallel()
	for text, grade := range map[string]string{
		"s h 1 t": "mild", "f.*.c.k": "strong", "d 4 m n": "mild", "F-U-C-K-1-N-G": "strong", "s_h_!_t": "mild", "oh s h 1 t!": "mild", "(b 1 t c h)": "strong",
		"you are a b 1 t c h !": "strong", "$ h 1 t happens": "mild", "n 1 g g a": "slur", "f.u.*.k": "strong", "so  s h 1 t  it is": "mild",
		"": "", "s": "", "s h": "", "a 1 b 2": "", "5 x 5 x 5": "", "1.2.3.4": "", "2024-1-2": "", "1. d4 d5 2. c4": "", "p * s * y": "", "s * * *": "", "f - - -": "",
		"f 4 6 6 0 7": "", "a b c d 1 2 3": "", "x s h 1 t": "", "s.h.1.table": "", "s h 1 table": "", "a.s.h.1.t.b": "", "v1.s.h.1.t": "", "| s | 1 | t |": "",
		strings.Repeat("s 1 ", 40): "",
	} {
		var rude rudeWords
		rude.spaced(text)
		require.Equal(t, grade, rude.grade, text)
		if grade == "" {
			require.Empty(t, profanity(text).grade, text)
		}
	}
}

func TestWordsOfProfanityHavePlaces(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"What the fuck is this shit, you dumb fucker?":                      {"fuck", "fucker"},
		"Well, that is a load of b***s**t and sh1t.":                        {"b***s**t", "sh1t"},
		"You son of a bitch!":                                               {"son of a", "bitch"},
		"Here is the s h 1 t you asked for":                                 {"s h 1 t"},
		"So ein Riesenarschloch":                                            {"Riesenarschloch"},
		"J&#39;ai dit que tu es un encul&eacute;, oui, et tu le sais bien.": {"encul&eacute;"},
		"Ce n’est qu’un enfoiré, et il le sait très bien.":                  {"enfoiré"},
		"A clean sentence.":                                                 nil,
		"con\u0303o":                                                        nil, // which is read as a longer text
	} {
		var got []string
		for _, p := range profanity(text).places {
			got = append(got, text[p.Start:p.End])
		}
		require.Equal(t, want, got, text)
	}
	require.Len(t, profanity(strings.Repeat("shit ", 1000)).places, maxEvidence)
}

func BenchmarkProfanity(b *testing.B) {
	benchmarkText(b, func(text string) {
		profanity(text)
		profanityModel().Probability(text)
	})
}
