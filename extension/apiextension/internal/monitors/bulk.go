// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"fmt"
	"net/http"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const bulkField = "setups"

// BulkAnswer has the setups in the order of the request.
type BulkAnswer struct {
	Setups []BulkItem `json:"setups" doc:"In the order of the request."`
}

// BulkItem is what became of one setup of a request.
type BulkItem struct {
	_ struct{} `oneOf:"result|error"`

	ExternalID string `json:"external_id" doc:"Which setup it is."`
	Status     string `json:"status" doc:"Whether it is there as it was asked for." enum:"ok,error"`
	Result     *Setup `json:"result,omitempty"`
	Error      string `json:"error,omitempty" doc:"Why it is not."`
}

// putAll creates or replaces many setups. When it is not clear which ones are
// meant it does nothing; after that each stands for itself.
func (a *API) putAll(r *http.Request, env tenant.Environment) (rest.Response, error) {
	body, err := rest.Read(r)
	if err != nil {
		return rest.Response{}, err
	}
	items := body.Items(bulkField)
	if err := body.Err(); err != nil {
		return rest.Response{}, err
	}
	names, err := nameAll(items)
	if err != nil {
		return rest.Response{}, err
	}
	put := make([]monitor.Setup, 0, len(items))
	errs := make([]error, len(items))
	for i := range items {
		s, err := a.put(r, env, items[i])
		if err != nil {
			errs[i] = err
			continue
		}
		put = append(put, s)
	}
	shown, err := a.show(r.Context(), env, put)
	if err != nil {
		return rest.Response{}, err
	}
	all := BulkAnswer{Setups: make([]BulkItem, len(items))}
	for i := range items {
		item := BulkItem{ExternalID: names[i], Status: "ok"}
		if errs[i] != nil {
			kind, message := a.Tell(r, errs[i])
			item.Status, item.Error = "error", renameField(i, kind, message)
		} else {
			item.Result, shown = &shown[0], shown[1:]
		}
		all.Setups[i] = item
	}
	made := make([]string, len(put))
	for i := range put {
		made[i] = put[i].ID
	}
	return rest.Response{Status: http.StatusMultiStatus, Body: all, Made: made}, nil
}

// nameAll returns the external ids of setups. It refuses everything unless all
// are named and no two of them alike.
func nameAll(items []*rest.Body) ([]string, error) {
	all := make([]string, len(items))
	first := make(map[string]int, len(items))
	for i, item := range items {
		var given names
		var s monitor.Setup
		err := item.Members(namesFields...).Into(&given)
		if err == nil {
			_, err = given.name(&s)
		}
		if err != nil {
			return nil, fault.New(fault.Invalid, "%s", renameField(i, fault.Invalid, fault.Message(err)))
		}
		if earlier, taken := first[s.ExternalID]; taken {
			return nil, fault.New(fault.Invalid, "%s[%d]: duplicate external_id %q (also at %s[%d])", bulkField, i, s.ExternalID, bulkField, earlier)
		}
		first[s.ExternalID], all[i] = i, s.ExternalID
	}
	return all, nil
}

// renameField lets a refusal name the element as the user of a bulk request wrote it.
func renameField(i int, kind fault.Kind, message string) string {
	if kind == fault.Invalid || kind == fault.TooLarge {
		return fmt.Sprintf("%s[%d].%s", bulkField, i, message)
	}
	return fmt.Sprintf("%s[%d]: %s", bulkField, i, message)
}

// put makes the setup of this external_id as the request has it, whether there
// was one or not.
func (a *API) put(r *http.Request, env tenant.Environment, item *rest.Body) (monitor.Setup, error) {
	var want SetupRequest
	if err := item.Into(&want); err != nil {
		return monitor.Setup{}, err
	}
	wish, err := want.setup(a.finder(r.Context(), env))
	if err != nil {
		return wish, err
	}
	for try := 1; ; try++ {
		s, err := a.putOnce(r, env, wish)
		raced := fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound)
		if !raced || try == maxReplaceTries {
			return s, err
		}
	}
}

func (a *API) putOnce(r *http.Request, env tenant.Environment, wish monitor.Setup) (monitor.Setup, error) {
	was, err := a.Setups.Get(r.Context(), env.ID, wish.ExternalID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return wish, err
	}
	if err != nil || was.ExternalID != wish.ExternalID { // what has the name as its id is another one
		s := a.newSetup(wish, env)
		if err := a.bounded(&s); err != nil {
			return s, err
		}
		return s, a.Setups.Create(r.Context(), s)
	}
	s := replaced(was, wish, rest.Moment(a.Now()))
	if err := a.bounded(&s); err != nil {
		return s, err
	}
	return a.Setups.Replace(r.Context(), s)
}

// replaced returns a setup as another one describes it, from the beginning.
func replaced(s, wish monitor.Setup, now time.Time) monitor.Setup {
	wish.ID, wish.Revision, wish.Generation = s.ID, s.Revision, s.Generation
	wish.OrganizationID, wish.ProjectID, wish.EnvironmentID = s.OrganizationID, s.ProjectID, s.EnvironmentID
	wish.CreatedAt, wish.UpdatedAt = s.CreatedAt, s.UpdatedAt
	paused := wish.Paused
	wish.Paused, wish.PausedSince, wish.ResumedAt = s.Paused, s.PausedSince, s.ResumedAt
	return wish.Pausing(now, paused).Changed(now, true)
}
