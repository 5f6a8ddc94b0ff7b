// SPDX-License-Identifier: Apache-2.0

package feelings

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatIsDeniedIsLeftOut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"I'm not angry, I only ask.":                      "I'm , I only ask.",
		"I am NOT really Angry at all.":                   "I am  at all.",
		"I am no longer scared of the dark.":              "I am  of the dark.",
		"She isn't sad or upset anymore.":                 "She isn't anymore.",
		"They don’t feel sad.":                            "They don’t.",
		"I am neither sad nor angry about it.":            "I am  about it.",
		"Nobody is mad at you.":                           " at you.",
		"No one was surprised.":                           ".",
		"I am not happy with this.":                       "I am  disappointed with this.",
		"Nothing makes me happy anymore.":                 " disappointed anymore.",
		"If you are not happy with it, tell me.":          "If you are  with it, tell me.",
		"I'm not angry and she isn't afraid. I'm scared.": "I'm  and she isn't. I'm scared.",
		"nicht so, not sad":                               "nicht so,",
	} {
		require.Equal(t, strings.TrimRight(want, " "), strings.TrimRight(Stated(text), " "), text)
	}
}

func TestWhatIsStatedStays(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "angry", "not", "I am angry.", "I have never been so angry.", "I haven't been this happy in years.", "I'm not just sad, I'm furious.", "No, I am sad.", "No angry words.",
		"Not now. Angry people came.", "I couldn't be happier.", "Do not make me angry.", "I do not know why everybody says that he is angry.", "I am not here or sad", "unless I am sad", "\xff'\xfe not \x80",
		"not " + strings.Repeat("ü", 100) + " sad", "n't", "’’’ n’t", "not very really so even feel the least angry",
	} {
		require.Equal(t, text, Stated(text))
	}
}

func TestNothingIsMadeWhereNothingIsDenied(t *testing.T) {
	text := strings.Repeat("I am not here, and the meeting was never so short. He is angry. ", 20)
	require.Zero(t, testing.AllocsPerRun(10, func() { Stated(text) }))
	require.Zero(t, testing.AllocsPerRun(10, func() { Shown(text) }))
}

func TestFeelingsAreShownBySigns(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                              "",
		"😡":                             " angry",
		"😡😡 again 😭":                    " angry sad",
		"❤️ and ♥":                      " happy",
		"👍🏽 fine":                       " happy",
		"See you :)":                    " happy",
		":-(\nBye":                      " sad",
		"lol XD\tno >:(":                " lol angry",
		"a:) :)b (:) :)) D: C: 3:1 x^^": "",
		"✅ 🚀 → ©":                       "",
		"\xf0\x9f \xff:(":               "",
	} {
		require.Equal(t, want, Shown(text), text)
	}
}

func FuzzShown(f *testing.F) {
	f.Add("no 😭 >:( \xf0\x9f")
	f.Fuzz(func(t *testing.T, text string) {
		require.LessOrEqual(t, len(strings.Fields(Shown(text))), len(shown))
	})
}

func FuzzStated(f *testing.F) {
	f.Add("I'm not angry or sad, no longer afraid, isn't happy if not glad")
	f.Fuzz(func(t *testing.T, text string) {
		got := Stated(text)
		require.LessOrEqual(t, len(got), len(text)+len(text)/3*len(letDown))
	})
}

func BenchmarkStated(b *testing.B) {
	text := strings.Repeat("I am not here, and the meeting was never so short. He is angry. ", 16)
	b.ReportAllocs()
	for b.Loop() {
		Stated(text)
	}
}
