// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
)

var _ = enter("secrets-detector", credentials, "secrets-noseyparker-half", "secrets-kingfisher-half", "secrets-detectsecrets-half",
	"humaneval-x-code", "awesome-prompts", "benign-mails", "benign-chat-formats", "cursor-rules", "halueval-general", "piguard-benign", "clinc-oos")

// credentials measures on the examples that other searchers for secrets are
// tested with, and counts alarms on programs, prompts, mails and requests.
func credentials(b *bench) ([]figure, error) {
	const output = "has_secret"
	var figures []figure
	var found []sample
	for _, set := range []struct {
		name, dir string
		bar       float64
	}{
		{"NoseyParker", "secrets-noseyparker-half", 0.9},
		{"Kingfisher", "secrets-kingfisher-half", 0.8},
		{"detect-secrets", "secrets-detectsecrets-half", 0.8},
	} {
		samples, err := encoded(b.data, set.dir)
		if err != nil {
			return nil, err
		}
		all, err := b.rates("Examples of "+set.name, samples, output)
		if err != nil {
			return nil, err
		}
		all[0] = all[0].from(set.bar)
		held, err := b.rates("Examples of "+set.name+", held out", heldOut(samples), output)
		if err != nil {
			return nil, err
		}
		// An example that one rule shall not match may hold a secret of another.
		figures = append(figures, all[0], held[0].from(set.bar).missing(0.75, "one of 27 examples short; what is missed there was not looked at, so that it stays held out"))
		found = append(found, heldOut(samples)...)
	}
	hidden, err := b.hidden("Examples of all three, held out", found, output)
	if err != nil {
		return nil, err
	}
	figures = append(figures, hidden...)
	own, err := b.ownCredentials(output)
	if err != nil {
		return nil, err
	}
	figures = append(figures, own...)
	for _, set := range []struct {
		name, dir string
		most      float64
	}{
		{"Programs of HumanEval-X", "humaneval-x-code", 0.0015},
		{"Prompts of awesome-prompts", "awesome-prompts", 0},
		{"Mails", "benign-mails", 0},
		{"Dialogues", "benign-chat-formats", 0},
	} {
		samples, err := plainTexts(b.data, set.dir)
		if err != nil {
			return nil, err
		}
		made, err := b.rates(set.name, samples, output)
		if err != nil {
			return nil, err
		}
		figures = append(figures, made[0].upTo(set.most))
	}
	samples, err := plainTexts(b.data, "cursor-rules")
	if err != nil {
		return nil, err
	}
	rules, err := b.rates("Rules for coding assistants, with samples of passwords", samples, output)
	if err != nil {
		return nil, err
	}
	plain, err := b.harmless(output, true, 0.001)
	return append(append(figures, rules...), plain...), err
}

// encoded reads examples that are kept in base64.
func encoded(data, set string) ([]sample, error) {
	rows, err := jsonLines[struct {
		B64   string `json:"b64"`
		Label int    `json:"label"`
	}](data, set+"/rows.jsonl")
	if err != nil {
		return nil, err
	}
	samples := make([]sample, len(rows))
	for i, r := range rows {
		text, err := base64.StdEncoding.DecodeString(r.B64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", set, err)
		}
		samples[i] = sample{text: string(text), want: r.Label == 1, group: string(text)}
	}
	return samples, nil
}

// secretsOwn are lines written for this before any rule was: 1 if a credential is in
// them, and the line, in which \n stands for its end and {a32} for 32 drawn characters:
// a scanner for secrets would refuse a repository with the keys themselves.
//
//go:embed texts/secrets_own.tsv
var secretsOwn string

var drawnKey = regexp.MustCompile(`\{([ahlduAbBQ])(\d+)\}`)

// keySets are the characters that keys are drawn of.
var keySets = map[string]string{
	"a": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "l": "abcdefghijklmnopqrstuvwxyz0123456789", "d": "0123456789", "h": "0123456789abcdef",
	"A": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "b": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-", "B": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
	"Q": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}

// ownCredentials measures on them, the half by which rules were written and the other.
func (b *bench) ownCredentials(output string) ([]figure, error) {
	rows, err := tableOf("secrets_own.tsv", secretsOwn, 2)
	if err != nil {
		return nil, err
	}
	var first, held []sample
	for _, row := range rows {
		s := sample{text: withKeys(strings.ReplaceAll(row[1], `\n`, "\n")), want: row[0] == "1", group: row[1]}
		if s.isHeldOut() {
			held = append(held, s)
		} else {
			first = append(first, s)
		}
	}
	seen, err := b.rates("own lines of commands, settings, tables and keys", first, output)
	if err != nil {
		return nil, err
	}
	unseen, err := b.rates("own lines of commands, settings, tables and keys, held out", held, output)
	if err != nil {
		return nil, err
	}
	return append(seen, unseen[0].from(0.9), unseen[1].upTo(0.05)), nil
}

// withKeys draws the keys of a line, the same each time.
func withKeys(line string) string {
	h := fnv.New64a()
	_, _ = io.WriteString(h, line)           // a hash takes everything
	r := rand.New(rand.NewPCG(h.Sum64(), 1)) //nolint:gosec // nobody's key
	draw := func(n int, set string) string {
		key := make([]byte, n)
		for i := range key {
			key[i] = set[r.IntN(len(set))]
		}
		return string(key)
	}
	return drawnKey.ReplaceAllStringFunc(line, func(blank string) string {
		part := drawnKey.FindStringSubmatch(blank)
		n, err := strconv.Atoi(part[2])
		if err != nil {
			return blank
		}
		if part[1] == "u" {
			h := draw(32, keySets["h"])
			return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
		}
		return draw(n, keySets[part[1]])
	})
}
