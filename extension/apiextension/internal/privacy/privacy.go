// SPDX-License-Identifier: Apache-2.0

// Package privacy serves the rights of people whose data is in spans: to have it
// deleted, and to have their texts not sent.
// https://www.traceloop.com/docs/api-reference/privacy/delete_request
package privacy

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

// API serves requests for deletions, and allow lists.
type API struct {
	Deletions  Deletions
	AllowLists AllowLists
}

// Routes returns what is served.
func (a *API) Routes() []rest.Route {
	const (
		deletion  = "/api/config/privacy/data-deletion"
		allowList = "/api/config/pii/tracing-allow-list"
	)
	return []rest.Route{
		rest.Environment(http.MethodDelete, deletion, a.remove).Audited("data.delete"),
		rest.Environment(http.MethodGet, deletion, a.status),
		rest.Environment(http.MethodGet, "/v1/traceloop/pii/tracing-allow-list", a.allowed).Accompanying(),
		rest.Environment(http.MethodGet, allowList, a.allowed),
		rest.Environment(http.MethodPost, allowList, a.allow).Audited("allow_list.add"),
		rest.Environment(http.MethodDelete, allowList, a.disallow).Audited("allow_list.remove"),
	}
}

type deletionRequest struct {
	AssociationProperties []map[string]rest.Text `json:"associationProperties"`
}

func (a *API) remove(r *http.Request, env tenant.Environment) (rest.Response, error) {
	var want deletionRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	id, err := a.Deletions.Request(r.Context(), env.ID, textsOf(want.AssociationProperties))
	if err != nil {
		return rest.Response{}, err
	}
	return rest.Response{Status: http.StatusOK, Body: map[string]string{"requestId": id}, Made: []string{id}}, nil
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

// deletionStatus has numbers as texts, as the clients of the original read them.
type deletionStatus struct {
	Completed bool   `json:"completed"`
	Deleted   string `json:"deleted"`
	Total     string `json:"total"`
}

func (a *API) status(r *http.Request, env tenant.Environment) (rest.Response, error) {
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
	return rest.OK(deletionStatus{
		Completed: !d.CompletedAt.IsZero(), Deleted: strconv.FormatInt(d.Deleted, 10), Total: strconv.FormatInt(d.Total, 10),
	}), nil
}
