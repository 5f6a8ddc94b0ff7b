// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	// maxPeople is how many entries an allow list may have.
	maxPeople = 1000
	// changeTries is how often a change is made again that another came before.
	changeTries = 10
)

// AllowListRequest names people.
type AllowListRequest struct {
	List []map[string]rest.Text `json:"associationPropertyAllowList" schema:"required minItems=1 maxItems=1000" items:"doc:\"Names and values of association properties.\" schema:\"maxProperties=5 minProperties=1\""`
}

// allowed answers whose texts may be sent. SDKs that send none of others ask for it
// every few seconds.
// https://www.traceloop.com/docs/api-reference/tracing/get_whitelisted_users
func (a *PrivacyAPI) allowed(r *http.Request, env tenant.Environment) (rest.Response, error) {
	l, err := a.list(r.Context(), env)
	if err != nil {
		return rest.Response{}, err
	}
	return showAllowList(&l), nil
}

func showAllowList(l *store.AllowList) rest.Response {
	shown := l.People
	if shown == nil {
		shown = []map[string]string{}
	}
	return rest.OK(AllowList{People: shown})
}

// AllowList is the list of an environment.
type AllowList struct {
	_ struct{} `schema:"open"`

	People []map[string]string `json:"associationPropertyAllowList"`
}

// list returns the list of an environment, a new one if it has none.
func (a *PrivacyAPI) list(ctx context.Context, env tenant.Environment) (store.AllowList, error) {
	l, err := a.AllowLists.Get(ctx, env.ID, store.AllowListName)
	if fault.Is(err, fault.NotFound) {
		return store.AllowList{ID: uuid.NewString(), EnvironmentID: env.ID}, nil
	}
	return l, err
}

// allow adds people.
func (a *PrivacyAPI) allow(r *http.Request, env tenant.Environment) (rest.Response, error) {
	var want AllowListRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	return a.change(r.Context(), env, func(l *store.AllowList) error {
		for _, entry := range textsOf(want.List) {
			if !slices.ContainsFunc(l.People, func(p map[string]string) bool { return maps.Equal(p, entry) }) {
				l.People = append(l.People, entry)
			}
		}
		if len(l.People) > maxPeople {
			return fault.New(fault.Conflict, "associationPropertyAllowList: an environment may have at most %d entries", maxPeople)
		}
		return nil
	})
}

// AllowListEntry names one person.
type AllowListEntry struct {
	Properties map[string]rest.Text `json:"associationProperty" doc:"Names and values of association properties." schema:"required minProperties=1 maxProperties=5"`
}

// disallow takes out an entry. One that is not there is no error.
func (a *PrivacyAPI) disallow(r *http.Request, env tenant.Environment) (rest.Response, error) {
	var want AllowListEntry
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	entry := textsOf([]map[string]rest.Text{want.Properties})[0]
	return a.change(r.Context(), env, func(l *store.AllowList) error {
		l.People = slices.DeleteFunc(l.People, func(p map[string]string) bool { return maps.Equal(p, entry) })
		return nil
	})
}

// change has change say what becomes of the list of an environment, and answers it.
func (a *PrivacyAPI) change(ctx context.Context, env tenant.Environment, change func(*store.AllowList) error) (rest.Response, error) {
	for range changeTries {
		l, err := a.list(ctx, env)
		if err != nil {
			return rest.Response{}, err
		}
		if err := change(&l); err != nil {
			return rest.Response{}, err
		}
		if l.Revision == 0 {
			err = a.AllowLists.Create(ctx, l)
		} else {
			l, err = a.AllowLists.Replace(ctx, l)
		}
		if err == nil {
			return showAllowList(&l), nil
		}
		// Another made it, or changed it first.
		if !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.Invalid) {
			return rest.Response{}, err
		}
	}
	return rest.Response{}, errors.New("the allow list changes all the time")
}
