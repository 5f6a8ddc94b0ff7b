// SPDX-License-Identifier: Apache-2.0

package tenant

import "strings"

// Attribute names that only we write. The tenant processor deletes them from
// whatever a client sends, on resource, scope and span.
const (
	// AttributeEnvironmentID is the stamp: the resource attribute that says
	// whose spans these are, from the tenant processor on.
	AttributeEnvironmentID = "touchstone.environment.id"
	// AttributeEvaluations carries evaluations from the monitor processor to
	// the span store.
	AttributeEvaluations = "touchstone.evaluations"
	// EvaluationPrefix starts the attributes that show verdicts:
	// evaluation.<slug>.<output>.
	EvaluationPrefix = "evaluation."

	reservedPrefix = "touchstone."
)

// Reserved reports whether only we may write an attribute of this name.
func Reserved(key string) bool {
	return strings.HasPrefix(key, reservedPrefix) || strings.HasPrefix(key, EvaluationPrefix)
}
