// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"fmt"
	"regexp"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/wording"
)

// scored returns a score and the reason for it.
func scored(score float64, reason string) eval.Judged {
	return eval.Judged{Grounds: eval.Grounds{Score: eval.Scored(score), Reason: reason}}
}

// because returns a score with a reason that is put together.
func because(score float64, format string, values ...any) eval.Judged {
	return scored(score, fmt.Sprintf(format, values...))
}

// counted returns the share of n items that did not fail as a score, with the failed ones
// in the reason.
func counted(ctx context.Context, n int, are, failedAre string, failed []string) eval.Judged {
	reason := fmt.Sprintf("%d of %d %s.", n-len(failed), n, are)
	if len(failed) > 0 {
		reason += " " + failedAre + ": " + wording.Items(objections(ctx, failed)) + "."
	}
	return scored(share(n-len(failed), n), reason)
}

// figures are numbers, and names that no sentence begins with.
var figures = regexp.MustCompile(`\d|\p{Ll}[,;:]? \p{Lu}\p{Ll}`)

// claims reports whether a text surely says something that can be true or not: it has a
// number or a name.
func claims(text string) bool { return !lexical.Blank(text) && figures.MatchString(text) }
