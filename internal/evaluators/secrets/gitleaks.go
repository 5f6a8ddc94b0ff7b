// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"context"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/spf13/viper"
	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
)

// newLeakRules returns the search for what the rules that come with gitleaks
// find, and our own. The library's own constructor would leave its rules in a
// process-wide configuration.
func newLeakRules() (*leakSearch, error) {
	written, err := writtenLeakRules()
	if err != nil {
		return nil, fmt.Errorf("read the rules of gitleaks: %w", err)
	}
	harmless := takeStopWords(&written)
	known, err := written.Translate()
	if err != nil {
		return nil, fmt.Errorf("read the rules of gitleaks: %w", err)
	}
	rules, err := tokenRules()
	if err != nil {
		return nil, err
	}
	for _, id := range known.OrderedRules {
		r, ok := known.Rules[id]
		if !ok || r.Regex == nil || r.Path != nil { // texts are no files
			continue
		}
		rule, err := newLeakRule(r.Regex, r.Keywords)
		if err != nil {
			return nil, fmt.Errorf("rule %q of gitleaks: %w", id, err)
		}
		if id == genericRule {
			rule.sign, rule.ordered, rule.reach = "0123456789=+/", true, genericReach
		}
		// Keywords were looked for already, for all rules together.
		r.Keywords = nil
		detector := detect.NewDetector(config.Config{Rules: map[string]config.Rule{id: r}, Allowlists: known.Allowlists})
		rule.judge = judgedBy(detector, harmless[id])
		rules = append(rules, rule)
	}
	return newLeakSearch(rules), nil
}

// judgedBy returns how a rule judges a piece of a text: by the detector of gitleaks, but
// that values with a harmless word are no secrets.
func judgedBy(detector *detect.Detector, harmless *words) func(context.Context, string, place, func(place) bool) bool {
	return func(ctx context.Context, text string, piece place, yield func(place) bool) bool {
		for _, found := range detector.DetectContext(ctx, detect.Fragment{Raw: text[piece.start:piece.end]}) { //nolint:staticcheck // it takes nothing else
			if harmless != nil && harmless.in(strings.ToLower(found.Secret)) {
				continue
			}
			if !everywhere(text, piece, found.Secret, yield) {
				return false
			}
		}
		return true
	}
}

// writtenLeakRules returns the rules that come with gitleaks as they are written.
func writtenLeakRules() (written config.ViperConfig, err error) {
	reader := viper.New()
	reader.SetConfigType("toml")
	if err := reader.ReadConfig(strings.NewReader(config.DefaultConfig)); err != nil {
		return written, err
	}
	err = reader.Unmarshal(&written)
	return written, err
}

// takeStopWords takes the words out of rules with which a value is no secret, and returns
// the search for those of each rule: the library's own takes 9 MB. Lists whose words only
// count together with something else stay as they are.
func takeStopWords(written *config.ViperConfig) map[string]*words {
	taken := map[string]*words{}
	for i := range written.Rules {
		rule := &written.Rules[i]
		var list []string
		for k, allowed := range slices.Backward(rule.Allowlists) {
			if c := strings.ToUpper(allowed.Condition); c == "AND" || c == "&&" {
				continue
			}
			for _, word := range allowed.StopWords {
				list = append(list, strings.ToLower(word))
			}
			allowed.StopWords = nil
			if len(allowed.Commits)+len(allowed.Paths)+len(allowed.Regexes) == 0 {
				rule.Allowlists = slices.Delete(rule.Allowlists, k, k+1) // the library wants none that is empty
			}
		}
		if len(list) > 0 {
			taken[rule.ID] = newWords(list)
		}
	}
	return taken
}

// everywhere hands over each place of a piece of a text where a value stands, and all of
// the piece where it stands nowhere: the library tells what it found by lines and columns
// that do not count bytes.
func everywhere(text string, piece place, value string, yield func(place) bool) bool {
	found := false
	for from := piece.start; value != ""; {
		i := strings.Index(text[from:piece.end], value)
		if i < 0 {
			break
		}
		found = true
		if !yield(place{from + i, from + i + len(value)}) {
			return false
		}
		from += i + len(value)
	}
	return found || yield(piece)
}

// genericRule is the rule for any value with a telling name. It passes over
// values of nothing but letters, dots and dashes.
const (
	genericRule  = "generic-api-key"
	genericReach = 512
)

// newLeakRule reads what is known of the matches of an expression.
func newLeakRule(expression *regexp.Regexp, keywords []string) (leakRule, error) {
	parsed, err := syntax.Parse(expression.String(), syntax.Perl)
	if err != nil {
		return leakRule{}, err
	}
	// What many expressions begin with costs much and decides nothing.
	probe := expression
	if rest, ok := strings.CutPrefix(expression.String(), `(?i)[\w.-]{0,50}?`); ok {
		if probe, err = regexp.Compile(`(?i)` + rest); err != nil {
			return leakRule{}, err
		}
	}
	rule := leakRule{reach: min(longest(parsed)+1, mostReach), run: streakOf(parsed), ordered: true, probe: probe}
	if rule.run.least == 0 {
		for b := range rule.run.of {
			rule.run.of[b] = true
		}
	}
	for _, word := range keywords {
		rule.keywords = append(rule.keywords, strings.ToLower(word))
		rule.ordered = rule.ordered && leads(parsed, strings.ToLower(word))
	}
	return rule, nil
}

// leads reports whether a keyword is spelled out before the run of a match
// begins.
func leads(re *syntax.Regexp, keyword string) bool {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	if re.Op != syntax.OpConcat {
		return false
	}
	run := streakOf(re)
	var before strings.Builder
	for _, sub := range re.Sub {
		if r := streakOf(sub); r.least == run.least {
			for sub.Op == syntax.OpCapture {
				sub = sub.Sub[0]
			}
			if sub.Op != syntax.OpConcat {
				break
			}
			return leads(sub, keyword)
		}
		if sub.Op != syntax.OpQuest && sub.Op != syntax.OpStar {
			before.WriteString(strings.ToLower(sub.String()))
		}
	}
	return strings.Contains(strings.ReplaceAll(before.String(), `\`, ""), keyword)
}
