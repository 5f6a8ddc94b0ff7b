// SPDX-License-Identifier: Apache-2.0

package tenant

import "strings"

// Attribute names that only we write. The tenant processor deletes them from
// whatever a client sends, on resource, scope and span.
const (
	// AttributeEnvironmentID is the stamp: the resource attribute that says
	// whose spans these are, from the tenant processor on.
	AttributeEnvironmentID = "touchstone.environment.id"
	// AttributeMappings is the resource attribute that has the mappings of the
	// environment, from the tenant processor on.
	AttributeMappings = "touchstone.mappings"
	// AttributeEvaluations carries evaluations from the monitor processor to
	// the span store.
	AttributeEvaluations = "touchstone.evaluations"
	// AttributeContent is the digest, a 64-bit integer, of the stored span that
	// deferred evaluations are made of, so that the span store passes over what is
	// said of a span that was replaced meanwhile.
	AttributeContent = "touchstone.content"
	// AttributeDeferred is the resource attribute, true, of spans that are
	// stored already and pass a pipeline again for their pending evaluations: only
	// their evaluations are written.
	AttributeDeferred = "touchstone.deferred"
	// AttributeBackfill is the resource attribute, true, of stored spans that a
	// backfill has judged again: the setups that come along are matched with
	// them. Such spans are AttributeDeferred too.
	AttributeBackfill = "touchstone.backfill"
	// AttributeSetups is the resource attribute that carries the setups, and
	// their custom evaluators, that deferred evaluations belong to, so that who
	// makes them needs no store.
	AttributeSetups = "touchstone.setups"
	// AttributeSidecar is the resource attribute, true, of spans that came with the key
	// of a sidecar, and on each of them what stood there under AttributeEvaluations: it
	// is held against the setups before any of it counts.
	AttributeSidecar = "touchstone.sidecar"
	// EvaluationPrefix starts the attributes that show verdicts:
	// evaluation.<slug>.<output>.
	EvaluationPrefix = "evaluation."

	reservedPrefix = "touchstone."
)

// Reserved reports whether only we may write an attribute of this name.
func Reserved(key string) bool {
	return strings.HasPrefix(key, reservedPrefix) || strings.HasPrefix(key, EvaluationPrefix)
}
