// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"context"
	"net/http"
	"strconv"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Deletions is what is asked of deletions.Book, under its contract.
type Deletions interface {
	Request(ctx context.Context, env tenant.EnvironmentID, who []map[string]string) (string, error)
	Get(ctx context.Context, env tenant.EnvironmentID, id string) (store.Deletion, error)
}

// AllowLists is the part of store.Collection that allow lists need.
type AllowLists interface {
	Get(ctx context.Context, env tenant.EnvironmentID, name string) (store.AllowList, error)
	Create(ctx context.Context, l store.AllowList) error
	Replace(ctx context.Context, l store.AllowList) (store.AllowList, error)
}

// PrivacyAPI serves the rights of people whose data is in spans: to have it deleted, and to
// have their texts not sent.
// https://www.traceloop.com/docs/api-reference/privacy/delete_request
type PrivacyAPI struct {
	Deletions  Deletions
	AllowLists AllowLists
}

// Routes returns what is served.
func (a *PrivacyAPI) Routes() []rest.Route {
	return []rest.Route{
		DeleteData.Serve(rest.InEnvironment(a.remove)).Audited("data.delete"),
		GetDataDeletion.Serve(rest.InEnvironment(a.status)),
		TracingAllowList.Serve(rest.InEnvironment(a.allowed)).Accompanying(),
		GetAllowList.Serve(rest.InEnvironment(a.allowed)),
		Allow.Serve(rest.InEnvironment(a.allow)).Audited("allow_list.add"),
		Disallow.Serve(rest.InEnvironment(a.disallow)).Audited("allow_list.remove"),
	}
}

// DataDeletionRequest says whose data goes.
type DataDeletionRequest struct {
	AssociationProperties []map[string]rest.Text `json:"associationProperties" doc:"One entry for each person." schema:"required minItems=1 maxItems=20" items:"doc:\"Names and values of association properties, all of which a span must have. user_id, session_id and conversation_id also mean user.id, session.id and gen_ai.conversation.id.\" schema:\"maxProperties=5 minProperties=1\""`
}

func (a *PrivacyAPI) remove(r *http.Request, env tenant.Environment) (rest.Response, error) {
	var want DataDeletionRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	id, err := a.Deletions.Request(r.Context(), env.ID, textsOf(want.AssociationProperties))
	if err != nil {
		return rest.Response{}, err
	}
	return rest.Response{Status: http.StatusOK, Body: DataDeletion{RequestID: id}, Made: []string{id}}, nil
}

// DataDeletion says how a deletion is called.
type DataDeletion struct {
	_ struct{} `schema:"open"`

	RequestID string `json:"requestId"`
}

// textsOf returns properties with their values as texts.
func textsOf(list []map[string]rest.Text) []map[string]string {
	texts := make([]map[string]string, len(list))
	for i, properties := range list {
		texts[i] = make(map[string]string, len(properties))
		for name, value := range properties {
			texts[i][name] = string(value)
		}
	}
	return texts
}

// DataDeletionStatus has numbers as texts, as the clients of the original read them.
type DataDeletionStatus struct {
	_ struct{} `schema:"open"`

	Completed bool   `json:"completed"`
	Deleted   string `json:"deleted" doc:"How many spans are gone, as a text."`
	Total     string `json:"total" doc:"How many there were, as a text."`
}

func (a *PrivacyAPI) status(r *http.Request, env tenant.Environment) (rest.Response, error) {
	values, err := rest.Query(r)
	if err != nil {
		return rest.Response{}, err
	}
	id := values.Get("requestId")
	if id == "" {
		return rest.Response{}, fault.New(fault.Invalid, "requestId is required")
	}
	d, err := a.Deletions.Get(r.Context(), env.ID, id)
	if err != nil {
		return rest.Response{}, err
	}
	return rest.OK(DataDeletionStatus{
		Completed: !d.CompletedAt.IsZero(), Deleted: strconv.FormatInt(d.Deleted, 10), Total: strconv.FormatInt(d.Total, 10),
	}), nil
}
