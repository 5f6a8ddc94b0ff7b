// SPDX-License-Identifier: Apache-2.0

package prices

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// list are list prices of large providers; tools/prices writes it.
//
//go:embed list.csv
var list string

// List is what models cost by the lists of their providers, by their names.
type List map[string][]listed

// listed is the price of a call whose input has more than so many tokens. A model has
// one for each size of input that its provider tells apart, the smallest first.
type listed struct {
	above int64
	price Price
}

// sized returns the price of a call with so many tokens of input.
func sized(bySize []listed, input int64) Price {
	at := len(bySize) - 1
	for at > 0 && input <= bySize[at].above {
		at--
	}
	return bySize[at].price
}

// Version matches what may follow a listed name: a date, a number, a stage. Other words
// are those of another model, such as "-mini".
var Version = regexp.MustCompile(`^([-@](beta|exp|latest|preview|v?[0-9]{2,}|v[0-9])|:[0-9]+k?)+$`)

// hosts are those that run models of others at prices of their own, or for nothing, by
// the names that SDKs give them.
var hosts = map[string]bool{
	"cerebras": true, "deepinfra": true, "fireworks": true, "fireworks_ai": true, "github_copilot": true, "groq": true,
	"hugging_face": true, "huggingface": true, "llama.cpp": true, "llamacpp": true, "lm_studio": true, "lmstudio": true,
	"localai": true, "nebius": true, "novita": true, "ollama": true, "ollama_chat": true, "replicate": true, "sambanova": true,
	"together": true, "together_ai": true, "togetherai": true, "vllm": true, "xinference": true,
}

// Listed returns the prices that come with the program.
var Listed = sync.OnceValue(func() List {
	r := csv.NewReader(strings.NewReader(list))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		panic(fmt.Sprintf("list.csv: %v", err))
	}
	byModel := make(List, len(rows))
	for _, row := range rows[1:] {
		number := func(column int) float64 {
			if row[column] == "" {
				return -1
			}
			n, err := strconv.ParseFloat(row[column], 64)
			if err != nil {
				panic(fmt.Sprintf("list.csv: %s: %v", row[1], err))
			}
			return n
		}
		byModel[row[1]] = append(byModel[row[1]], listed{
			above: int64(number(2)), price: Price{Input: number(3), Output: number(4), CacheRead: number(5), CacheWrite: number(6)},
		})
	}
	return byModel
})
