// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"fmt"
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

// prose is what surrounds a secret.
const prose = "The council met on Tuesday and spoke about the bridge, which 41 people had asked for. "

// sample writes a text that an expression matches, but for its assertions.
func sample(r *rand.Rand, re *syntax.Regexp, b *strings.Builder) {
	times := func(least, most int) {
		for range least + r.IntN(most-least+1) {
			sample(r, re.Sub[0], b)
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		for range 100 {
			i := 2 * r.IntN(len(re.Rune)/2)
			if low, high := max(re.Rune[i], ' '), min(re.Rune[i+1], '~'); low <= high {
				b.WriteRune(low + rune(r.IntN(int(high-low)+1)))
				return
			}
		}
		b.WriteRune(re.Rune[0]) // the end of a line
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte(alnum[r.IntN(len(alnum))])
	case syntax.OpCapture:
		sample(r, re.Sub[0], b)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			sample(r, sub, b)
		}
	case syntax.OpAlternate:
		sample(r, re.Sub[r.IntN(len(re.Sub))], b)
	case syntax.OpQuest:
		times(0, 1)
	case syntax.OpStar:
		times(0, 3)
	case syntax.OpPlus:
		times(1, 3)
	case syntax.OpRepeat:
		most := re.Max
		if most < 0 {
			most = re.Min + 4
		}
		times(re.Min, most)
	}
}

// readLeakRules returns the rules that come with gitleaks as they are written.
func readLeakRules(t *testing.T) config.ViperConfig {
	t.Helper()
	written, err := writtenLeakRules()
	require.NoError(t, err)
	return written
}

// The search looks only where a rule may find something. What the library
// finds in whole texts, it finds.
func TestTheSearchFindsWhatGitleaksFinds(t *testing.T) {
	t.Parallel()
	written := readLeakRules(t)
	known, err := written.Translate()
	require.NoError(t, err)
	whole := detect.NewDetector(known)
	search, err := newLeakRules()
	require.NoError(t, err)

	r := rand.New(rand.NewPCG(1, 2))
	surroundings := []string{"", " ", "\n", "; ", prose, " key, api and token:\n"}
	found := 0
	for _, id := range known.OrderedRules {
		rule := known.Rules[id]
		if rule.Regex == nil || rule.Path != nil {
			continue
		}
		parsed, err := syntax.Parse(rule.Regex.String(), syntax.Perl)
		require.NoError(t, err)
		for range 3 {
			var b strings.Builder
			b.WriteString(surroundings[r.IntN(len(surroundings))])
			sample(r, parsed, &b)
			b.WriteString(surroundings[r.IntN(len(surroundings))])
			if len(whole.DetectContext(t.Context(), detect.Fragment{Raw: b.String()})) > 0 { //nolint:staticcheck // as in the search
				found++
				more, err := search.find(t.Context(), b.String(), stop)
				require.NoError(t, err)
				require.False(t, more, "%s: %q", id, b.String())
			}
		}
	}
	require.Greater(t, found, 400)
}

// However long a text is and whatever it is bait for, the search ends soon: it
// answers, or says that it cannot.
func TestBaitForTheSearch(t *testing.T) {
	t.Parallel()
	search, err := newLeakRules()
	require.NoError(t, err)
	var keywords []string
	for _, rule := range search.rules {
		keywords = append(keywords, rule.keywords...)
	}
	for name, text := range map[string]string{
		"keywords":       strings.Join(keywords, " "),
		"names":          strings.Join(keywords, `="aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1 `),
		"lines":          "api_key = aaaaaaaaaaa1\n",
		"no end":         "a",
		"quotes":         `"`,
		"placeholders":   `password="your_password" `,
		"addresses":      "://a:${x}@b",
		"identifiers":    `id="` + made(40, 30, lower+digits) + `" `,
		"key ids":        "AKIA",
		"commands":       "curl x ",
		"command lines":  "mysql -u a sshpass redis-cli ",
		"elements":       "<password a=1>",
		"queries":        "?password= user= ",
		"sentences":      "password is ",
		"tables":         "| password | a1 |\n|---|---|\n",
		"cells":          "| password ",
		"private keys":   "-----BEGIN A PRIVATE KEY ",
		"tokens":         "eyJhbGciOiJIUzI1NiIsInR5cCI6.ey" + strings.Repeat("a", 16) + ". ",
		"names of names": "key_pass_secret_key_pass_secret='<x>' ",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.Repeat(text, eval.MaxText/len(text)+1)[:eval.MaxText]
			got, err := foundIn(t.Context(), text)
			if err != nil {
				require.True(t, fault.Is(err, fault.TooLarge), err)
				require.Contains(t, fault.Message(err), "input.text has more places")
				return
			}
			require.False(t, got)
		})
	}
}

// A secret far behind much bait of other kinds is found all the same.
func TestBaitOfOneKindHidesNoOther(t *testing.T) {
	t.Parallel()
	bait := strings.Repeat("api_key = aaaaaaaaaaa1\n", 30_000)
	require.True(t, hasSecret(t, bait+"glpat-"+made(3, 20, alnum)+"\n"+bait[:1000]))
}

func TestNamesAndPlacesOfSecrets(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`password="abcd1"`: true, `PASSWORD_OLD := 'abcd1'`: true, "dbPass(`abcd1`)": true, `db-pass == "abcd1"`: true, `"CONTRASEÑA": "abcd1"`: true,
		`secretHash="abcd1"`: true, `api_key2 => "abcd1"`: true, `key_pass_1: "abcd1"`: true, `my.client-key    =    "abcd1"`: true,
		`key="abcd1"`: false, `bypass="abcd1"`: false, `password="abc"`: false, `password     ="abcd1"`: true, `password12345="abcd1"`: false,
		`passwordless="abcd1"`: false, `password "abcd1"`: false, `password="abcd1`: false, `password="ab cd1"`: false, `api__key="abcd1"`: false,
		`password=""`: false, `"abcd1"`: false, `="abcd1"`: false, "": false, `password_` + strings.Repeat("x", 40) + `="abcd1"`: false,
	} {
		require.Equal(t, want, !namedValues(text, func(int, int) bool { return false }), text)
	}
	for text, want := range map[string]bool{
		"http://a:b@c.de": true, "http://a:b@c": false, "x://a:b4d@[::1]": true, "http://a:b@": false, "http://:b@c": false, "http://a:@c": false, "http://a/b:c@d": false,
		"http://a:b c@d": false, "http://a:$P@c": false, "://://a:b4d@c": true, "http://a": false, "": false, "http://é:ü@c": true,
	} {
		require.Equal(t, want, !urlPasswords(text, func(int, int) bool { return false }), text)
	}
	require.Equal(t, place{2, 3}, withLine("a\nb\nc", place{2, 3}))
	require.Equal(t, place{0, 5}, withLine("a b c", place{2, 3}))
	require.Equal(t, []place{{0, 9}, {20, 30}}, joined(joined(joined(nil, place{1, 5}, 0), place{0, 9}, 0), place{20, 30}, 5))
	require.Equal(t, "b", lineAt("a\nb\nc", 2))
	require.Equal(t, "c", lineAt("a\nb\nc", 4))
}

func FuzzSearch(f *testing.F) {
	search, err := newLeakRules()
	require.NoError(f, err)
	f.Add(`token: "x1y2z3a4x1y2z3a4", AKIAAAAABBBBCCCCDDDD ey.ey. curl -H`)
	f.Add(fmt.Sprintf("%q", "\xff\x00İKELVIN K"))
	f.Fuzz(func(t *testing.T, text string) {
		_, err := search.find(t.Context(), text, func(at place) bool {
			require.True(t, at.start >= 0 && at.start <= at.end && at.end <= len(text))
			return true
		})
		require.True(t, err == nil || fault.Is(err, fault.TooLarge))
	})
}

// stop has seen enough at once.
func stop(place) bool { return false }
