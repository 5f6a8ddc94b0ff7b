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

// gradeOf returns the mean of the grades that a judge found likely where it wrote the value of
// this name, 0 if the tokens do not show it. A yes is the grade 1 and a no 0, so that the mean of
// these is the probability of yes.
func gradeOf(tokens []openai.ChatCompletionTokenLogprob, verdict json.RawMessage, name string) float64 {
	var said map[string]json.RawMessage
	if json.Unmarshal(verdict, &said) != nil {
		return 0
	}
	value := bare(string(said[name]))
	at := -1
	if _, ok := worth(value); ok {
		at = placeOf(tokens, name, value)
	}
	if at < 0 {
		return 0
	}
	sum, whole := 0.0, 0.0
	for _, t := range tokens[at].TopLogprobs {
		other := bare(t.Token)
		grade, ok := worth(other)
		if p := math.Exp(t.Logprob); ok && (len(other) == 1) == (len(value) == 1) && p <= 1.001 {
			sum, whole = sum+p*grade, whole+p
		}
	}
	if whole == 0 {
		return 0
	}
	return sum / whole
}

// bare returns a token of JSON without the space and the quotation marks that may belong to it.
func bare(token string) string { return strings.Trim(token, " \"") }

// worth returns the grade that a value is, and false if it is none.
func worth(value string) (float64, bool) {
	switch {
	case value == "yes":
		return 1, true
	case value == "no":
		return 0, true
	case len(value) == 1 && value[0] >= '1' && value[0] <= '9':
		return float64(value[0] - '0'), true
	}
	return 0, false
}

// placeOf returns the token that is the value of the last member of this name, -1 if none is.
func placeOf(tokens []openai.ChatCompletionTokenLogprob, name, value string) int {
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
		return begin >= from && bare(t.Token) == value
	})
}
