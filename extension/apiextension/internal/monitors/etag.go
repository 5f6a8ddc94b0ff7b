// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/monitor"
)

// errChanged refuses an update of a setup that is not the one its user has seen.
var errChanged = &rest.Refusal{
	Status:  http.StatusPreconditionFailed,
	Message: "the auto monitor setup was changed since it was read: read it again",
}

// tagOf returns the entity tag of a setup: its generation, and a digest of all that
// its user decides. How far it got is no part of it, since that moves by itself.
// https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3
func tagOf(s *monitor.Setup) string {
	asked := *s
	asked.Status, asked.Revision, asked.UpdatedAt = "", 0, time.Time{}
	asked.Evaluators = slices.Clone(s.Evaluators)
	for i := range asked.Evaluators {
		e := &asked.Evaluators[i]
		e.Status, e.ErrorMessage, e.ProcessedAt = "", "", time.Time{}
	}
	text, err := json.Marshal(&asked)
	if err != nil { // a setup that is stored could be written
		text = nil
	}
	digest := sha256.Sum256(text)
	return fmt.Sprintf(`"%d-%x"`, s.Generation, digest[:8])
}

// meant reports whether a request is meant for the setup as it is: it has no
// If-Match, or one that has the setup's tag. Weak tags match nothing.
// https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1
func meant(r *http.Request, s *monitor.Setup) bool {
	given := r.Header.Values("If-Match")
	if len(given) == 0 {
		return true
	}
	for _, tag := range strings.Split(strings.Join(given, ","), ",") {
		if tag = strings.TrimSpace(tag); tag == "*" || tag == tagOf(s) {
			return true
		}
	}
	return false
}
