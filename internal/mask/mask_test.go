// SPDX-License-Identifier: Apache-2.0

package mask

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
)

// finds returns what finds the matches of an expression, each of one kind.
func finds(kind, expression string) eval.Finder {
	e := regexp.MustCompile(expression)
	return func(_ context.Context, text string) (places []eval.Place, err error) {
		for _, at := range e.FindAllStringIndex(text, -1) {
			places = append(places, eval.Place{Kind: kind, Start: at[0], End: at[1]})
		}
		return places, nil
	}
}

func newTestMasker(rules ...*Rule) *Masker {
	return NewMasker(context.Background(), rules, []byte("key"), &Budget{Left: time.Hour})
}

// masked returns what becomes of the texts of one record.
func masked(m *Masker, texts ...string) []string {
	m.Begin()
	for _, text := range texts {
		m.look(text)
	}
	made := make([]string, len(texts))
	for i, text := range texts {
		made[i] = m.rewrite(text)
	}
	return made
}

func TestOnlyWhatWasFoundIsReplaced(t *testing.T) {
	t.Parallel()
	m := newTestMasker(NewRule(finds("MAIL", `\w+@\w+`), Mask, false))
	for text, want := range map[string]string{
		"":                                   "",
		"nothing":                            "nothing",
		"to ada@home, bob@work!":             "to [masked:mail], [masked:mail]!",
		`{"a": "ada@home", "b": [1]}`:        `{"a": "[masked:mail]", "b": [1]}`,
		`  ["x", "ada@home\nbob@work"]`:      `  ["x", "[masked:mail]\n[masked:mail]"]`,
		`"ada@home"`:                         `"[masked:mail]"`,
		`"\u0061da\u0040home, \ud83d\ude00"`: `"[masked:mail], ` + "\U0001F600" + `"`,
		`{"x": "{\"to\": \"ada@home\"}", "n": 1.50}`: `{"x": "{\"to\": \"[masked:mail]\"}", "n": 1.50}`,
		`{"ada@home": 1, "ada@home": 2}`:             `{"[masked:mail]": 1, "[masked:mail]": 2}`,
		`{"cut": "ada@home", "off`:                   `{"cut": "[masked:mail]", "off`,
		"{\"a\": \"\xff ada@home\"}":                 "{\"a\": \"\uFFFD [masked:mail]\"}",
	} {
		require.Equal(t, []string{want}, masked(m, text), text)
	}
}

// What rules find across the members of an object is taken out of the values, and JSON
// stays JSON.
func TestWhatIsFoundAcrossJSON(t *testing.T) {
	t.Parallel()
	phone := NewRule(finds("PHONE", `phone\W+[\d-]+\W+city\W+\w+`), Mask, false)
	m := newTestMasker(phone)
	require.Equal(t, []string{`{"phone": "[masked:phone]", "city": "[masked:phone]", "z": "y"}`}, masked(m, `{"phone": "55-1", "city": "Rome", "z": "y"}`))
	require.Equal(t, []string{`{"phone": "[masked:phone]", "city": "[masked:phone] b"}`}, masked(m, `{"phone": 551, "city": "Rome b"}`))
	require.Equal(t, []string{`{"n": "[masked:number]"}`}, masked(newTestMasker(NewRule(finds("NUMBER", `\d{7}`), Mask, false)), `{"n": -1234567.5}`))

	escapes := newTestMasker(NewRule(finds("HALF", `\\u00e9b`), Mask, false))
	require.Equal(t, []string{`["a[masked:half]"]`}, masked(escapes, `["a\u00e9b"]`), "an escape is taken as a whole or not at all")
}

// What was found in one text is taken out of the others where it does not stand out.
func TestValuesAreSoughtElsewhere(t *testing.T) {
	t.Parallel()
	m := newTestMasker(NewRule(finds("NAME", `Katarzyna Nowak$`), Mask, false), NewRule(finds("ID", `^id=\d+`), Hash, false))
	got := masked(m, "my name is Katarzyna Nowak", `{"who": "Katarzyna Nowak said"}`, "id=1234567", "the id=1234567 again", "id=12345")
	require.Equal(t, "my name is [masked:name]", got[0])
	require.JSONEq(t, `{"who": "[masked:name] said"}`, got[1])
	require.Regexp(t, `^\[hashed:id:[a-p]{32}\]$`, got[2])
	require.Equal(t, "the "+got[2]+" again", got[3])
	require.NotEqual(t, got[2], got[4])
	require.Equal(t, Tally{Masked: 2, Hashed: 3}, m.Tally())
	require.Equal(t, []string{"Katarzyna Nowak said"}, masked(m, "Katarzyna Nowak said"), "of another record")
	require.False(t, m.Hit(m.rules[0]))
}

func TestHashesAreKeyed(t *testing.T) {
	t.Parallel()
	rule := NewRule(finds("MAIL", `\w+@\w+`), Hash, false)
	of := func(key []byte) string {
		return masked(NewMasker(t.Context(), []*Rule{rule}, key, &Budget{Left: time.Hour}), "ada@home")[0]
	}
	secret := []byte("secret of the installation")
	one, other := Key(secret, "one"), Key(secret, "other")
	first := of(one)
	require.Equal(t, first, of(one))
	require.NotEqual(t, first, of(other))
	require.Equal(t, "[masked:mail]", of(nil), "without a key nothing is hashed")
}

func TestTextsThatCannotBeSearched(t *testing.T) {
	t.Parallel()
	failing := func(_ context.Context, text string) ([]eval.Place, error) {
		if strings.Contains(text, "hard") {
			return []eval.Place{{Kind: "FIRST", End: 2}}, errors.New("too hard")
		}
		return nil, nil
	}
	drops, keeps := newTestMasker(NewRule(failing, Mask, false)), newTestMasker(NewRule(failing, Mask, true))
	require.Equal(t, []string{"easy", notSearched, `"` + notSearched + `"`}, masked(drops, "easy", "it is hard", `["hard"]`))
	require.True(t, drops.Missed(drops.rules[0]))
	require.Equal(t, Tally{NotSearched: 2}, drops.Tally())
	require.Equal(t, []string{"easy", "[masked:first] is hard"}, masked(keeps, "easy", "it is hard"))
	require.True(t, keeps.Missed(keeps.rules[0]))

	spent := NewMasker(t.Context(), []*Rule{NewRule(failing, Mask, false)}, nil, &Budget{})
	require.Equal(t, []string{notSearched}, masked(spent, "easy"))
}

// Overlapping pieces are one, and the stricter effect counts.
func TestOverlaps(t *testing.T) {
	t.Parallel()
	m := newTestMasker(NewRule(finds("LONG", `abcdefgh`), Hash, false), NewRule(finds("SHORT", `gh\w`), Mask, false), NewRule(finds("APART", `z`), Hash, false))
	got := masked(m, "abcdefghij z")[0]
	require.Regexp(t, `^\[masked:long\]j \[hashed:apart:[a-p]{32}\]$`, got)
}

// A record that was masked already stays as it is, whatever is looked for again.
func TestMarksAreNotFound(t *testing.T) {
	t.Parallel()
	var rules []*Rule
	for _, slug := range []string{"pii-detector", "secrets-detector"} {
		e, ok := evaluators.Catalog().Get(slug)
		require.True(t, ok)
		find, err := e.Finder(nil)
		require.NoError(t, err)
		for _, effect := range []Effect{Mask, Hash} {
			rules = append(rules, NewRule(find, effect, false))
		}
	}
	for _, effects := range [][]*Rule{{rules[0], rules[2]}, {rules[1], rules[3]}} {
		m := newTestMasker(effects...)
		for _, text := range []string{
			"Hello, my name is Katarzyna Nowak. Mail: ada@example.org, phone: +49 30 901820, born 1984-02-01.",
			`{"password": "tr0ub4dor&3", "email": "ada@example.org", "url": "postgres://app:Sw0rdf1sh@db.internal/main"}`,
			"api_key = \"sk-proj-Zk39vTq8LmX2wRb7NcY5dHs1JfGp4AeUo6iKtVxBzMnQrSwE\"; Authorization: Bearer abcdefghijklmnop1234567890",
		} {
			once := masked(m, text)
			require.NotEqual(t, text, once[0])
			require.Equal(t, once, masked(m, once...))
		}
	}
}

func FuzzMask(f *testing.F) {
	for _, text := range []string{
		`{"a": ["x canary1x", {"canary2x": "\u0063anary3x"}], "n": 12345678}`, "canary1x", `"{\"b\": \"canary4x\"}"`, "{\"\xff\": \"canary5x\\ud83d\\ude00\"}", `[`,
	} {
		f.Add(text, "canary9x")
	}
	rules := []*Rule{NewRule(finds("CANARY", `canary\d+x|\d{8}|"\W+"c`), Mask, false), NewRule(finds("END", `canary\d$`), Hash, false)}
	f.Fuzz(func(t *testing.T, text, other string) {
		m := newTestMasker(rules...)
		made := masked(m, text, other)
		require.NotRegexp(t, `canary\d+x|\d{8}`, made[0])
		if json.Valid([]byte(text)) && strings.ContainsAny(text[:1], `{["`) {
			require.True(t, json.Valid([]byte(made[0])), made[0])
		}
	})
}
