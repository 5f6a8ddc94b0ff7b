// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
)

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
