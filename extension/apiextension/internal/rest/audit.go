// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"net"
	"net/http"
	"regexp"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
	"github.com/touchstone-otel/touchstone/internal/textcut"
)

// Change is what the audit log has of a change that was made, or refused for want of
// permission: who did what to which thing, and nothing of what the thing says.
type Change struct {
	Time   time.Time `json:"time"`
	Action string    `json:"action"`
	// Actor is operator, key with the id of the key, or unknown.
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
	// Address is where an attempt came from that was refused, and Missed how many of the
	// same environment were refused before it and have no line.
	Address string `json:"address,omitempty"`
	Missed  int    `json:"missed,omitempty"`
}

// Actors of changes.
const (
	ByOperator = "operator"
	ByKey      = "key"
	ByUnknown  = "unknown"
)

// Refused reports whether the change was not made.
func (c *Change) Refused() bool { return c.Status >= http.StatusBadRequest }

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
	c := changeOf(route, r, p, got.Status)
	for _, made := range got.Made {
		c.Made = append(c.Made, textcut.Bytes(made, maxSubject))
	}
	s.Auditor.Record(c)
}

// auditRefusal notes an attempt to change something without a valid credential, or with
// one that may not. P is nil when the caller is unknown.
func (s *Server) auditRefusal(route *Route, r *http.Request, p *tenant.Principal, err error) {
	status := statusOf(fault.KindOf(err))
	if route.action == "" || s.Auditor == nil || status != http.StatusUnauthorized && status != http.StatusForbidden {
		return
	}
	if p == nil {
		p = &tenant.Principal{}
	}
	missed, wait := s.Refusals.take(p.Environment.ID)
	if wait > 0 {
		return
	}
	c := changeOf(route, r, p, status)
	c.Missed = missed
	if c.Address, _, err = net.SplitHostPort(r.RemoteAddr); err != nil {
		c.Address = r.RemoteAddr
	}
	s.Auditor.Record(c)
}

// changeOf returns what is the same of every change.
func changeOf(route *Route, r *http.Request, p *tenant.Principal, status int) Change {
	c := Change{
		Time: time.Now().UTC(), Action: route.action, Actor: ByUnknown, KeyID: p.KeyID,
		Organization: p.Environment.OrganizationID, Environment: string(p.Environment.ID),
		Status: status, RequestID: requestID(r),
	}
	switch {
	case p.Operator:
		c.Actor = ByOperator
	case p.Environment.ID != "":
		c.Actor = ByKey
	}
	for _, name := range pathParameter.FindAllStringSubmatch(route.Path, -1) {
		if c.Subject == nil {
			c.Subject = map[string]string{}
		}
		c.Subject[name[1]] = textcut.Bytes(PathValue(r, name[1]), maxSubject)
	}
	return c
}
