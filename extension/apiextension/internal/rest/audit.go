// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"net/http"
	"regexp"
	"time"

	"github.com/touchstone-otel/touchstone/internal/tenant"
	"github.com/touchstone-otel/touchstone/internal/textcut"
)

// Change is what the audit log has of a change that was made: who did what to
// which thing, and nothing of what the thing says.
type Change struct {
	Time   time.Time `json:"time"`
	Action string    `json:"action"`
	// Actor is operator, or key with the id of the key.
	Actor        string `json:"actor"`
	KeyID        string `json:"key_id,omitempty"`
	Organization string `json:"organization_id,omitempty"`
	Environment  string `json:"environment_id,omitempty"`
	// Subject has what the path names, and Made the ids or names of what was made
	// or changed besides.
	Subject   map[string]string `json:"subject,omitempty"`
	Made      []string          `json:"made,omitempty"`
	Status    int               `json:"status"`
	RequestID string            `json:"request_id"`
}

// Auditor keeps changes.
type Auditor interface{ Record(c Change) }

// maxSubject bounds each name in the audit log, in bytes.
const maxSubject = 256

// Audited returns the route as one whose changes the audit log has under the
// name of an action.
func (r Route) Audited(action string) Route {
	r.action = action
	return r
}

var pathParameter = regexp.MustCompile(`\{([a-z_]+)\}`)

// audit notes a change that was made.
func (s *Server) audit(route *Route, r *http.Request, p *tenant.Principal, got *Response) {
	if route.action == "" || s.Auditor == nil || got.Status >= http.StatusMultipleChoices {
		return
	}
	c := Change{
		Time: time.Now().UTC(), Action: route.action, Actor: "key", KeyID: p.KeyID,
		Organization: p.Environment.OrganizationID, Environment: string(p.Environment.ID),
		Status: got.Status, RequestID: requestID(r),
	}
	if p.Operator {
		c.Actor = "operator"
	}
	for _, name := range pathParameter.FindAllStringSubmatch(route.Path, -1) {
		if c.Subject == nil {
			c.Subject = map[string]string{}
		}
		c.Subject[name[1]] = textcut.Bytes(PathValue(r, name[1]), maxSubject)
	}
	for _, made := range got.Made {
		c.Made = append(c.Made, textcut.Bytes(made, maxSubject))
	}
	s.Auditor.Record(c)
}
