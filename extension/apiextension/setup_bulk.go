// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// maxBulk is how many setups one request may have.
const maxBulk = 100

const bulkField = "setups"

type bulkAnswer struct {
	Setups []bulkItem `json:"setups"`
}

// bulkItem is what became of one setup of a request.
type bulkItem struct {
	ExternalID string       `json:"external_id"`
	Status     string       `json:"status"`
	Result     *setupAnswer `json:"result,omitempty"`
	Error      string       `json:"error,omitempty"`
}

// putSetups creates or replaces many setups. When it is not clear which ones
// are meant it does nothing; after that each stands for itself.
func (a *api) putSetups(r *http.Request, env tenant.Environment) (answer, error) {
	var want struct {
		Setups json.RawMessage `json:"setups"`
	}
	if err := decode(r, &want); err != nil {
		return answer{}, err
	}
	requests, names, err := parseBulk(want.Setups)
	if err != nil {
		return answer{}, err
	}
	put := make([]monitor.Setup, 0, len(requests))
	errs := make([]error, len(requests))
	for i := range requests {
		s, err := a.putSetup(r, env, &requests[i])
		if err != nil {
			errs[i] = err
			continue
		}
		put = append(put, s)
	}
	shown, err := a.showSetups(r.Context(), env, put)
	if err != nil {
		return answer{}, err
	}
	body := bulkAnswer{Setups: make([]bulkItem, len(requests))}
	for i := range requests {
		item := bulkItem{ExternalID: names[i], Status: "ok"}
		if errs[i] != nil {
			item.Status, item.Error = "error", inItem(i, a.tell(r, errs[i]))
		} else {
			item.Result, shown = &shown[0], shown[1:]
		}
		body.Setups[i] = item
	}
	return answer{status: http.StatusMultiStatus, body: body}, nil
}

// parseBulk refuses everything unless all setups are named and no two of them
// alike.
func parseBulk(raw json.RawMessage) (requests []setupRequest, names []string, err error) {
	if absent(raw) {
		return nil, nil, fault.New(fault.Invalid, "%s is required", bulkField)
	}
	list, err := items(bulkField, raw)
	switch {
	case err != nil:
		return nil, nil, err
	case len(list) == 0:
		return nil, nil, fault.New(fault.Invalid, "%s must contain at least one item", bulkField)
	case len(list) > maxBulk:
		return nil, nil, fault.New(fault.Invalid, "%s must have at most %d items", bulkField, maxBulk)
	}
	requests, names = make([]setupRequest, len(list)), make([]string, len(list))
	first := make(map[string]int, len(list))
	for i, item := range list {
		path := fmt.Sprintf("%s[%d]", bulkField, i)
		if err := decodeObject(path, item, &requests[i]); err != nil {
			return nil, nil, err
		}
		var s monitor.Setup
		if _, err := requests[i].name(&s); err != nil {
			return nil, nil, fault.New(fault.Invalid, "%s", inItem(i, told{fault.Invalid, fault.Message(err)}))
		}
		if earlier, taken := first[s.ExternalID]; taken {
			return nil, nil, fault.New(fault.Invalid, "%s: duplicate external_id %q (also at %s[%d])", path, s.ExternalID, bulkField, earlier)
		}
		first[s.ExternalID], names[i] = i, s.ExternalID
	}
	return requests, names, nil
}

// inItem lets a refusal name the element as the user of a bulk request wrote it.
func inItem(i int, said told) string {
	if said.kind == fault.Invalid || said.kind == fault.TooLarge {
		return fmt.Sprintf("%s[%d].%s", bulkField, i, said.message)
	}
	return fmt.Sprintf("%s[%d]: %s", bulkField, i, said.message)
}

// putSetup makes the setup of this external_id as the request has it, whether
// there was one or not.
func (a *api) putSetup(r *http.Request, env tenant.Environment, want *setupRequest) (monitor.Setup, error) {
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

func (a *api) putOnce(r *http.Request, env tenant.Environment, wish monitor.Setup) (monitor.Setup, error) {
	was, err := a.setups().Get(r.Context(), env.ID, wish.ExternalID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return wish, err
	}
	if err != nil || was.ExternalID != wish.ExternalID { // what has the name as its id is another one
		s := a.newSetup(wish, env)
		return s, a.setups().Create(r.Context(), s)
	}
	return a.setups().Replace(r.Context(), replaced(was, wish, a.moment()))
}

// replaced gives a setup with another wish, from the beginning.
func replaced(s, wish monitor.Setup, now time.Time) monitor.Setup {
	wish.ID, wish.Revision, wish.Generation = s.ID, s.Revision, s.Generation
	wish.OrganizationID, wish.ProjectID, wish.EnvironmentID = s.OrganizationID, s.ProjectID, s.EnvironmentID
	wish.CreatedAt, wish.UpdatedAt = s.CreatedAt, s.UpdatedAt
	return wish.Changed(now, true)
}
