// SPDX-License-Identifier: Apache-2.0

// Prices writes the list of prices that comes with the program, from
// prices/data_slim.json of https://github.com/pydantic/genai-prices:
//
//	bin/tools/prices -date 2026-09-23 < data_slim.json > internal/genai/prices/list.csv
//
// The same data give the same bytes.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/touchstone-otel/touchstone/internal/genai/prices"
)

// providers are the providers whose prices are listed. The first that names a model
// sets its price.
var providers = []string{"openai", "anthropic", "google", "mistral", "cohere", "deepseek", "x-ai", "aws"}

// unlisted are words in names of models that are not billed by tokens of text alone,
// or that have open weights and as many prices as hosts.
var unlisted = []string{"audio", "gemma", "gpt-oss", "image", "live", "ocr", "realtime", "sonic", "transcribe", "tts", "voice", "whisper"}

type provider struct {
	ID     string  `json:"id"`
	Models []model `json:"models"`
}

type model struct {
	ID     string          `json:"id"`
	Match  match           `json:"match"`
	Prices json.RawMessage `json:"prices"` // dollars, or a list of priced
}

// match is one condition on names; conditions that the list does not need are left out.
type match struct {
	Or         []match `json:"or"`
	And        []match `json:"and"`
	Equals     string  `json:"equals"`
	StartsWith string  `json:"starts_with"`
	EndsWith   string  `json:"ends_with"`
	Contains   string  `json:"contains"`
}

// names returns the names that the condition compares with. What a name contains may end
// within a version, such as "-0" of "-001".
func (m *match) names() []string {
	var names []string
	for _, name := range []string{m.Equals, m.StartsWith, m.EndsWith, m.Contains} {
		name = strings.TrimRight(name, "-@")
		if name != "" && (name != strings.TrimRight(m.Contains, "-@") || !strings.HasSuffix(name, "-0")) {
			names = append(names, name)
		}
	}
	for _, part := range slices.Concat(m.Or, m.And) {
		names = append(names, part.names()...)
	}
	return names
}

type priced struct {
	Constraint struct {
		From  string `json:"start_date"`
		Opens string `json:"start_time"`
		Ends  string `json:"end_time"`
	} `json:"constraint"`
	Prices dollars `json:"prices"`
}

type dollars struct {
	Input      *amount `json:"input_mtok"`
	Output     *amount `json:"output_mtok"`
	CacheRead  *amount `json:"cache_read_mtok"`
	CacheWrite *amount `json:"cache_write_mtok"`
}

// amount is a price, which may rise with the size of the input.
type amount struct {
	Base  float64 `json:"base"`
	Tiers []struct {
		Start int64   `json:"start"`
		Price float64 `json:"price"`
	} `json:"tiers"`
}

func (a *amount) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &a.Base); err == nil {
		return nil
	}
	type object amount
	return json.Unmarshal(text, (*object)(a))
}

// above returns the price of an input of more than this many tokens.
func (a *amount) above(tokens int64) string {
	if a == nil {
		return ""
	}
	price := a.Base
	for _, t := range a.Tiers {
		if t.Start <= tokens {
			price = t.Price
		}
	}
	return strconv.FormatFloat(price, 'f', -1, 64)
}

// now returns the prices of a model on a day.
func (m *model) now(day string) (d dollars, err error) {
	if m.Prices[0] == '{' {
		return d, json.Unmarshal(m.Prices, &d)
	}
	var all []priced
	if err := json.Unmarshal(m.Prices, &all); err != nil {
		return d, err
	}
	var from string
	var short []priced // of hours of the day
	for _, p := range all {
		if p.Constraint.Opens != "" {
			short = append(short, p)
		} else if p.Constraint.From >= from && p.Constraint.From <= day {
			from, d = p.Constraint.From, p.Prices
		}
	}
	for _, p := range short {
		if isMost, err := p.isMostOfTheDay(); err != nil {
			return d, err
		} else if isMost {
			d = p.Prices
		}
	}
	return d, nil
}

// isMostOfTheDay reports whether the hours of the price are more than the others.
func (p *priced) isMostOfTheDay() (bool, error) {
	opens, err := time.Parse("15:04:05Z", p.Constraint.Opens)
	if err != nil {
		return false, err
	}
	ends, err := time.Parse("15:04:05Z", p.Constraint.Ends)
	return ends.Sub(opens) > 12*time.Hour, err
}

// rows returns the lines of a model's prices: those of each size of the input.
func (d *dollars) rows() [][]string {
	if d.Input == nil {
		return nil
	}
	sizes := map[int64]bool{0: true}
	for _, a := range []*amount{d.Input, d.Output, d.CacheRead, d.CacheWrite} {
		if a != nil {
			for _, t := range a.Tiers {
				sizes[t.Start] = true
			}
		}
	}
	var rows [][]string
	for _, size := range slices.Sorted(maps.Keys(sizes)) {
		output := d.Output.above(size)
		if output == "" { // of models that embed
			output = "0"
		}
		rows = append(rows, []string{strconv.FormatInt(size, 10), d.Input.above(size), output, d.CacheRead.above(size), d.CacheWrite.above(size)})
	}
	return rows
}

// isListed reports whether the list has a name of a provider. Names of Amazon Bedrock
// begin with the maker of the model; without it they are the maker's own.
func isListed(provider, name string) bool {
	maker, _, made := strings.Cut(name, ".")
	if !strings.ContainsAny(name, "-0123456789") { // a word that others use, too
		return false
	}
	if provider == "aws" && (!made || strings.ContainsAny(maker, "0123456789")) || strings.ContainsAny(name, " ,:/") {
		return false
	}
	return !slices.ContainsFunc(unlisted, func(word string) bool { return strings.Contains(name, word) })
}

// repeats reports whether another name with the same prices matches where a name does:
// one without its version, its region or its maker.
func repeats(byName map[string][][]string, name string) bool {
	_, bare, made := strings.Cut(name, ".")
	for other, rows := range byName {
		if other == name || !slices.EqualFunc(rows, byName[name], slices.Equal) {
			continue
		}
		rest, is := strings.CutPrefix(name, other)
		bareRest, isBare := strings.CutPrefix(bare, other)
		if is && prices.Version.MatchString(rest) || made && isBare && (bareRest == "" || prices.Version.MatchString(bareRest)) {
			return true
		}
	}
	return false
}

func main() {
	log.SetFlags(0)
	day := flag.String("date", "", "the day of the data, as 2026-09-23")
	flag.Parse()
	var all []provider
	if err := json.NewDecoder(bufio.NewReader(os.Stdin)).Decode(&all); err != nil {
		log.Fatal(err)
	}
	byName, group := map[string][][]string{}, map[string]int{}
	for rank, id := range providers {
		at := slices.IndexFunc(all, func(p provider) bool { return p.ID == id })
		if at < 0 {
			log.Fatalf("the data have no provider %s", id)
		}
		for _, m := range all[at].Models {
			d, err := m.now(*day)
			if err != nil {
				log.Fatalf("%s: %v", m.ID, err)
			}
			for _, name := range m.Match.names() {
				if _, known := byName[name]; !known && isListed(id, name) {
					byName[name], group[name] = d.rows(), rank
				}
			}
		}
	}
	fmt.Printf("# List prices in US dollars for a million tokens, as of %s.\n# Source: https://github.com/pydantic/genai-prices\n# Written by tools/prices. \"above\" is the size of the input beyond which a row holds.\n", *day)
	fmt.Println("provider,model,above,input,output,cache_read,cache_write")
	names := slices.SortedFunc(maps.Keys(byName), func(a, b string) int {
		if group[a] != group[b] {
			return group[a] - group[b]
		}
		return strings.Compare(a, b)
	})
	for _, name := range names {
		if repeats(byName, name) {
			continue
		}
		for _, row := range byName[name] {
			fmt.Printf("%s,%s,%s\n", providers[group[name]], name, strings.Join(row, ","))
		}
	}
}
