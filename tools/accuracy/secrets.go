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
		figures = append(figures, all[0], held[0].from(set.bar).missing(0.75, "one of 27 examples short; what is missed there was not looked at, so that it stays held out; the one example that the other half has missed is a key of x's"))
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

// secretsForms are lines for each service that is searched widely and for each form in
// which programs and settings have a password, written in the same way: 1 if a credential
// is in them, seen or held for the half, and the line.
//
//go:embed texts/secrets_forms.tsv
var secretsForms string

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
	var lines, forms halves
	for _, row := range rows {
		s := credentialLine(row[0], row[1])
		lines.add(s, s.isHeldOut())
	}
	if rows, err = tableOf("secrets_forms.tsv", secretsForms, 3); err != nil {
		return nil, err
	}
	for _, row := range rows {
		forms.add(credentialLine(row[0], row[2]), row[1] == "held")
	}
	first, err := b.halved("own lines of commands, settings, tables and keys", lines, output)
	if err != nil {
		return nil, err
	}
	second, err := b.halved("own lines by service and by form of assignment", forms, output)
	return append(first, second...), err
}

// credentialLine is a line of the own tables.
func credentialLine(label, line string) sample {
	return sample{text: withKeys(strings.ReplaceAll(line, `\n`, "\n")), want: label == "1", group: line}
}

// halves are the samples by which rules were written, and those that are held out.
type halves struct{ seen, held []sample }

func (h *halves) add(s sample, held bool) {
	if held {
		h.held = append(h.held, s)
	} else {
		h.seen = append(h.seen, s)
	}
}

// halved measures on both.
func (b *bench) halved(set string, h halves, output string) ([]figure, error) {
	seen, err := b.rates(set, h.seen, output)
	if err != nil {
		return nil, err
	}
	held, err := b.rates(set+", held out", h.held, output)
	if err != nil {
		return nil, err
	}
	return append(seen, held[0].from(0.9), held[1].upTo(0.05)), nil
}

// withKeys draws the keys of a line, the same each time.
func withKeys(line string) string {
	h := fnv.New64a()
	_, _ = io.WriteString(h, line)           // a hash takes everything
	r := rand.New(rand.NewPCG(h.Sum64(), 1)) //nolint:gosec // a made-up key
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
