// SPDX-License-Identifier: Apache-2.0

package model

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3"
)

// likelyTokens is how many tokens a server is asked for that a judge found likely in a place: as
// many as there are grades.
const likelyTokens = 5

// gradeOf returns the mean of the grades that a judge found likely where it wrote the grade of
// this name, 0 if the tokens do not show it.
func gradeOf(tokens []openai.ChatCompletionTokenLogprob, verdict json.RawMessage, name string) float64 {
	var said map[string]json.RawMessage
	if json.Unmarshal(verdict, &said) != nil || len(said[name]) != 1 {
		return 0
	}
	at := placeOf(tokens, name, string(said[name]))
	if at < 0 {
		return 0
	}
	sum, whole := 0.0, 0.0
	for _, t := range tokens[at].TopLogprobs {
		digit := strings.TrimSpace(t.Token)
		if p := math.Exp(t.Logprob); len(digit) == 1 && digit[0] >= '1' && digit[0] <= '9' && p <= 1.001 {
			sum, whole = sum+p*float64(digit[0]-'0'), whole+p
		}
	}
	if whole == 0 {
		return 0
	}
	return sum / whole
}

// placeOf returns the token that is the value, a digit, of the last member of this name, -1 if
// none is.
func placeOf(tokens []openai.ChatCompletionTokenLogprob, name, digit string) int {
	var text strings.Builder
	begins := make([]int, len(tokens))
	for i, t := range tokens {
		begins[i] = text.Len()
		text.WriteString(t.Token)
	}
	key := strings.LastIndex(text.String(), `"`+name+`"`)
	if key < 0 {
		return -1
	}
	from := key + len(name) + len(`""`)
	return slices.IndexFunc(tokens, func(t openai.ChatCompletionTokenLogprob) bool {
		begin := begins[0]
		begins = begins[1:]
		return begin >= from && strings.TrimSpace(t.Token) == digit
	})
}
