// SPDX-License-Identifier: Apache-2.0

//go:build data

package pii

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// recognizerCase is a row of cases.jsonl: a text and what Presidio's own tests
// expect of one recognizer in it.
type recognizerCase struct {
	Text      string
	Expected  int `json:"expected_len"`
	Positions [][2]int
	Scores    json.RawMessage
	File      string
	Test      string
}

// TestPresidioRecognizerCases reads the cases in the directory that DATA names.
func TestPresidioRecognizerCases(t *testing.T) {
	dir := os.Getenv("DATA")
	require.NotEmpty(t, dir, "DATA names the directory of the data sets")
	file, err := os.Open(filepath.Join(dir, "presidio-recognizer-cases", "cases.jsonl"))
	require.NoError(t, err)
	defer file.Close()
	known := map[string]recognizer{}
	for _, r := range recognizers {
		known[r.entity] = r
	}
	entities := map[string]string{
		"ip": "IP_ADDRESS", "mac": "MAC_ADDRESS", "credit_card": "CREDIT_CARD", "crypto": "CRYPTO", "us_ssn": "US_SSN", "email": "EMAIL_ADDRESS",
		"us_itin": "US_ITIN", "uk_nhs": "UK_NHS", "us_bank": "US_BANK_NUMBER", "us_passport": "US_PASSPORT", "iban": "IBAN_CODE",
		"medical_license": "MEDICAL_LICENSE", "phone": "PHONE_NUMBER",
	}
	seen := map[string]int{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var c recognizerCase
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		name := strings.TrimSuffix(strings.TrimPrefix(c.File, "test_"), "_recognizer.py")
		r, ok := known[entities[name]]
		if !ok || strings.Contains(c.Test, "leniency") { // those set another leniency than the default
			continue
		}
		seen[r.entity]++
		var got []match
		r.find(newScan(c.Text, 0), func(m match) bool {
			got = append(got, m)
			return true
		})
		require.Len(t, got, c.Expected, "%s in %q: %v", r.entity, c.Text, got)
		for i, want := range c.Positions {
			start := utf8.RuneCountInString(c.Text[:got[i].start])
			require.Equal(t, want, [2]int{start, start + utf8.RuneCountInString(c.Text[got[i].start:got[i].end])}, "%s in %q", r.entity, c.Text)
		}
		var ranges [][2]any
		if json.Unmarshal(c.Scores, &ranges) == nil {
			for i, want := range ranges {
				require.GreaterOrEqual(t, got[i].score, want[0], c.Text)
				if high, ok := want[1].(float64); ok {
					require.LessOrEqual(t, got[i].score, high, c.Text)
				}
			}
		}
	}
	require.NoError(t, lines.Err())
	t.Log(seen)
}
