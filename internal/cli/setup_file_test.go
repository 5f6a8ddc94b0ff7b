// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A rule that is no object, next to values that cannot be compared.
func TestSetupFilesWithOddRules(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "setups.yaml")
	require.NoError(t, os.WriteFile(file, []byte("external_id: a\nentity_value: [1]\nselector: [5, {operator: equals, value: [1]}]\n"), 0o600))
	read, err := readSetups([]string{file})
	require.NoError(t, err, "which is for the API to refuse")
	require.Len(t, read, 1)
	require.JSONEq(t, `{"external_id":"a","entity_value":[1],"selector":[5,{"operator":"equals","value":[1]}]}`, string(read[0].body))
}

// A setup as the API answers it keeps its rules: without them it would be about every span.
func TestSetupFilesOfAnswersKeepTheirRules(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "setups.json")
	const answered = `{"id":"1","external_id":"a","init_rules":[{"key":"k","source":"span_attributes","operator":"exists"}],"evaluators":[{"evaluator_type":"word-count","status":"pending"}],"status":"pending"}`
	require.NoError(t, os.WriteFile(file, []byte("["+answered+"]"), 0o600))
	read, err := readSetups([]string{file})
	require.NoError(t, err)
	var body map[string]any
	require.NoError(t, json.Unmarshal(read[0].body, &body))
	require.Equal(t, []any{map[string]any{"key": "k", "source": "span_attributes", "operator": "exists"}}, body["selector"])
	require.NotContains(t, body, "init_rules")
	var answer map[string]any
	require.NoError(t, json.Unmarshal([]byte(answered), &answer))
	require.Empty(t, differences(canonical(answer), read[0].canonical))

	require.NoError(t, os.WriteFile(file, []byte(`{"external_id":"a","selector":[],"init_rules":[],"evaluators":["word-count"]}`), 0o600))
	_, err = readSetups([]string{file})
	require.ErrorContains(t, err, `setup "a" has selector and init_rules`)
}

// FuzzSetupFile applies whatever a file says: setups of one name each, which are sent as
// they were read, or one error that names the file.
func FuzzSetupFile(f *testing.F) {
	for _, s := range []string{
		`{"setups":[{"external_id":"a","evaluators":["char-count"]},{"external_id":"b","selector":{"x":1}}]}`,
		"- external_id: a\n  evaluators: [{slug: x, sample_rate: 1, input_mapping: {text: output}}]\n  evaluator_configs: {x: {config: {a: 1}}}\n",
		"entity_type: workflow\nentity_value: w\ninit_rules: [{key: k, op: in, values: [1, true, null]}]\npaused: false\n",
		"external_id: a\nentity_value: {}\nselector: [[], {operator: equals, value: {}}]\n",
		"x-a: &a [x,x,x,x,x,x,x,x,x]\nx-b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nx-c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nx-d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\nexternal_id: [*d,*d,*d,*d,*d,*d,*d,*d,*d]\n",
		"external_id: a\nx-y: .nan\n", "external_id: a\n1: 2\n", "external_id: a\nexternal_id: b\n", "[]", "null", "\x00", strings.Repeat("[", 2000),
		"external_id: a\nevaluators: [[[]], {evaluator_type: ''}, 5]\nevaluator_configs: [{}, 5]\non_verdict: ''\n",
	} {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	first, second := filepath.Join(dir, "setups.yaml"), filepath.Join(dir, "again.json")
	f.Fuzz(func(t *testing.T, text []byte) {
		began := time.Now()
		require.NoError(t, os.WriteFile(first, text, 0o600))
		read, err := readSetups([]string{first})
		require.Less(t, time.Since(began), 10*time.Second)
		if err != nil {
			var exit *exitError
			require.ErrorAs(t, err, &exit)
			require.ErrorContains(t, err, first)
			return
		}
		require.NotEmpty(t, read)
		names, bodies := map[string]bool{}, make([]json.RawMessage, len(read))
		for i, s := range read {
			require.False(t, names[s.externalID], "named once")
			names[s.externalID], bodies[i] = true, s.body
			require.Empty(t, differences(s.canonical, s.canonical))
			for _, c := range differences(map[string]any{}, s.canonical) {
				require.Equal(t, "none", c.From, fmt.Sprint(c))
			}
		}
		again, err := json.Marshal(map[string]any{"setups": bodies})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(second, again, 0o600))
		same, err := readSetups([]string{second})
		require.NoError(t, err)
		require.Len(t, same, len(read))
		for i := range read {
			require.Equal(t, read[i].externalID, same[i].externalID)
			require.Equal(t, string(read[i].body), string(same[i].body))
			require.Empty(t, differences(read[i].canonical, same[i].canonical))
		}
		_, err = readSetups([]string{first, second})
		require.Error(t, err, "each name is in both")
	})
}
