// SPDX-License-Identifier: Apache-2.0

// Package disguise writes texts so that people read them as before and a program may not.
package disguise

import (
	"fmt"
	"strings"
	"unicode"
)

// Way is one way of doing so.
type Way struct {
	Name string
	Put  func(text string) string
}

// Slips is the name of the disguise that is made by accident.
const Slips = "slips of the keyboard"

// OfWords are the ways of hiding words, each applied to a whole text or to
// the words that matter.
var OfWords = []Way{
	{"digits for letters", strings.NewReplacer("a", "4", "e", "3", "i", "1", "o", "0", "s", "5", "A", "4", "E", "3", "I", "1", "O", "0", "S", "5").Replace},
	{"letters spaced", spacedOut},
	{"letters tripled", tripled},
	{"zero-width spaces", func(s string) string { return between(s, "\u200b") }},
	{"full width", mapped(func(r rune) rune { return r - '!' + '！' })},
	{"mathematical letters", mapped(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + '𝐚'
		case r >= 'A' && r <= 'Z':
			return r - 'A' + '𝐀'
		}
		return r
	})},
	{"look-alikes", strings.NewReplacer("a", "а", "c", "с", "e", "е", "o", "о", "p", "р", "i", "і").Replace},
	{"HTML entities", entities},
	{Slips, slips},
	{"accents", func(s string) string { return between(s, "\u0301") }},
}

func mapped(to func(rune) rune) func(string) string {
	return func(s string) string {
		return strings.Map(func(r rune) rune {
			if r <= ' ' || r > '~' {
				return r
			}
			return to(r)
		}, s)
	}
}

// between puts something after each letter that a letter follows.
func between(text, what string) string {
	var b strings.Builder
	runes := []rune(text)
	for i, r := range runes {
		b.WriteRune(r)
		if unicode.IsLetter(r) && i+1 < len(runes) && unicode.IsLetter(runes[i+1]) {
			b.WriteString(what)
		}
	}
	return b.String()
}

// spacedOut sets the letters of each word apart, and words by three spaces.
func spacedOut(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = strings.Join(strings.Split(w, ""), " ")
	}
	return strings.Join(words, "   ")
}

// tripled writes every letter three times.
func tripled(text string) string {
	var b strings.Builder
	for _, r := range text {
		n := 1
		if unicode.IsLetter(r) {
			n = 3
		}
		for range n {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func entities(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsLetter(r) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// slips swaps two letters inside of every second longer word.
func slips(text string) string {
	words := strings.Fields(text)
	long := 0
	for i, w := range words {
		r := []rune(w)
		if len(r) < 5 {
			continue
		}
		if long++; long%2 == 1 {
			at := len(r)/2 - 1
			r[at], r[at+1] = r[at+1], r[at]
			words[i] = string(r)
		}
	}
	return strings.Join(words, " ")
}
