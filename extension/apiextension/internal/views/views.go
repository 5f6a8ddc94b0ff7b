// SPDX-License-Identifier: Apache-2.0

// Package views serves the named lists of the web UI, which all who have a key of an
// environment share.
package views

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// changeTries is how often a view is saved again when others save it at the same time.
const changeTries = 10

// API serves views.
type API struct {
	Control store.Documents
	Now     func() time.Time
}

// Routes returns what is served.
func (a *API) Routes() []rest.Route {
	return []rest.Route{
		ListViews.Route(a.list),
		PutView.Route(a.put).Audited("view.put"),
		DeleteView.Route(a.remove).Audited("view.delete"),
	}
}

// View is a named list.
type View struct {
	Name      string `json:"name" doc:"The name."`
	Screen    string `json:"screen" doc:"The list." enum:"spans,traces,conversations"`
	Query     string `json:"query" doc:"The parameters of its address, as a URL has them."`
	UpdatedAt string `json:"updated_at" doc:"When it was saved last." schema:"format=date-time"`
}

// ViewRequest is a list as its user names it.
type ViewRequest struct {
	Screen string `json:"screen" doc:"The list." schema:"required" enum:"spans,traces,conversations"`
	Query  string `json:"query" doc:"The parameters of its address, as a URL has them." schema:"required maxLength=8192"`
}

// NameInput has the parameters of an operation.
type NameInput struct {
	Name string `path:"name" doc:"The name of the view." schema:"minLength=1 maxLength=80"`
}

// PutViewInput has the parameters of an operation.
type PutViewInput struct {
	Name string      `path:"name" doc:"The name of the view, at most 80 characters."`
	Body ViewRequest `body:"json"`
}

// ListViews is the operation list-views.
var ListViews = rest.Operation[rest.None, []View]{
	Method: http.MethodGet, Path: "/v2/views", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "list-views", Summary: "List saved views",
	Doc:    "The lists of the web UI that users named, oldest first.",
	Answer: "The views.",
}

// PutView is the operation put-view.
var PutView = rest.Operation[PutViewInput, View]{
	Method: http.MethodPut, Path: "/v2/views/{name}", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "put-view", Summary: "Save a view",
	Doc:      "Creates the view, or replaces the one that has the name. An environment may have 200 views.",
	Answer:   "The view.",
	Refusals: []int{http.StatusConflict},
}

// DeleteView is the operation delete-view.
var DeleteView = rest.Operation[NameInput, rest.None]{
	Method: http.MethodDelete, Path: "/v2/views/{name}", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "delete-view", Summary: "Delete a view",
	Doc:    "Deletes the view for all who use it.",
	Status: http.StatusNoContent, Answer: "The view is gone.",
	Refusals: []int{http.StatusNotFound},
}

func show(v *store.View) View {
	return View{Name: v.Name, Screen: v.Screen, Query: v.Query, UpdatedAt: rest.Time(v.UpdatedAt)}
}

func (a *API) list(c *rest.Call, _ *rest.None) (*[]View, error) {
	list, err := store.Views(a.Control).List(c.Context(), c.Env().ID)
	if err != nil {
		return nil, err
	}
	shown := make([]View, len(list))
	for i := range list {
		shown[i] = show(&list[i])
	}
	return &shown, nil
}

// longestName is how many characters a name may have.
const longestName = 80

func (a *API) put(c *rest.Call, in *PutViewInput) (*View, error) {
	if n := len([]rune(in.Name)); n > longestName {
		return nil, fault.New(fault.Invalid, "name must have at most %d characters, got %d", longestName, n)
	}
	views := store.Views(a.Control)
	for try := 1; ; try++ {
		v, err := views.Get(c.Context(), c.Env().ID, in.Name)
		known := err == nil && v.Name == in.Name
		switch {
		case err != nil && !fault.Is(err, fault.NotFound):
			return nil, err
		case !known:
			v = store.View{ID: uuid.NewString(), EnvironmentID: c.Env().ID, Name: in.Name, CreatedAt: rest.Moment(a.Now()), Revision: 1}
		}
		v.Screen, v.Query, v.UpdatedAt = in.Body.Screen, in.Body.Query, rest.Moment(a.Now())
		if known {
			_, err = views.Replace(c.Context(), v)
		} else {
			err = views.Create(c.Context(), v)
		}
		if err == nil {
			shown := show(&v)
			return &shown, nil
		}
		if !fault.Is(err, fault.Conflict) || try == changeTries {
			return nil, err
		}
	}
}

func (a *API) remove(c *rest.Call, in *NameInput) (*rest.None, error) {
	return nil, store.Views(a.Control).Delete(c.Context(), c.Env().ID, in.Name)
}
