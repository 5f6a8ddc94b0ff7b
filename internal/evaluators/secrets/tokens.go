// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"context"
	"regexp"
	"strings"
)

// tokens are forms of secrets that gitleaks does not know, or only beside the
// name of their service: identifiers of keys to a cloud, tokens of Telegram,
// Mailchimp, Artifactory and Square, keys to storage at Azure, tokens of
// Discord, and the beginnings of private keys.
var tokens = []struct {
	keywords   []string
	expression string
}{
	{[]string{"akia", "asia", "abia", "acca", "a3t"}, `\b(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{16}\b`},
	{[]string{":aa"}, `\b\d{8,10}:AA[0-9A-Za-z_-]{33}(?:\b|$)`},
	{[]string{"-us"}, `\b[0-9a-z]{32}-us\d{1,2}(?:\b|$)`},
	{[]string{"akc"}, `\bAKC[a-zA-Z0-9]{10,}(?:\b|$)`},
	{[]string{"sq0"}, `\bsq0(?:atp-[0-9A-Za-z_-]{22}|csp-[0-9A-Za-z_-]{43})(?:\b|$)`},
	{[]string{"accountkey="}, `AccountKey=[a-zA-Z0-9+/=]{88}`},
	{nil, `\b[MNO][a-zA-Z\d_-]{23,25}\.[a-zA-Z\d_-]{6}\.[a-zA-Z\d_-]{27,38}`},
	{[]string{"private key"}, `-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----`},
}

// tokenRules gives the rules for tokens.
func tokenRules() ([]leakRule, error) {
	var rules []leakRule
	for _, t := range tokens {
		expression, err := regexp.Compile(t.expression)
		if err != nil {
			return nil, err
		}
		rule, err := newLeakRule(expression, t.keywords)
		if err != nil {
			return nil, err
		}
		rule.judge = func(_ context.Context, text string, piece place) bool {
			found := rule.probe.FindStringIndex(text[piece.start:piece.end])
			return found != nil && !strings.Contains(lineAt(text, piece.start+found[0]), allowed)
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

// lineAt gives the line that a byte of a text is in.
func lineAt(text string, i int) string {
	start := strings.LastIndexByte(text[:i], '\n') + 1
	if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
		return text[start : i+n]
	}
	return text[start:]
}
