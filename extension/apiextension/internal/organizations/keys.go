// SPDX-License-Identifier: Apache-2.0

package organizations

import (
	"net/http"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	// maxKeys is how many keys of an environment may work at once.
	maxKeys = 100
	// keptKeys is how many keys that are over are kept to be looked at, the latest.
	keptKeys = 100
)

type shownKey struct {
	ID         string       `json:"id"`
	Name       string       `json:"name"`
	Scope      tenant.Scope `json:"scope"`
	Status     string       `json:"status"`
	CreatedAt  string       `json:"created_at"`
	ExpiresAt  string       `json:"expires_at,omitempty"`
	LastUsedAt string       `json:"last_used_at,omitempty"`
	RevokedAt  string       `json:"revoked_at,omitempty"`
}

func (a *API) showKey(k *tenant.Key) shownKey {
	shown := shownKey{
		ID: k.ID, Name: k.Name, Scope: k.Scope, Status: "active", CreatedAt: rest.Time(k.CreatedAt),
		ExpiresAt: rest.TimeIfAny(k.ExpiresAt), LastUsedAt: rest.TimeIfAny(k.UsedAt), RevokedAt: rest.TimeIfAny(k.RevokedAt),
	}
	switch {
	case !k.RevokedAt.IsZero():
		shown.Status = "revoked"
	case !k.Works(a.Now()):
		shown.Status = "expired"
	}
	return shown
}

// listKeys answers the keys of an environment, oldest first. What they are is
// not known any more.
func (a *API) listKeys(r *http.Request) (rest.Response, error) {
	env, err := a.environment(r)
	if err != nil {
		return rest.Response{}, err
	}
	keys, err := a.Control.Keys(r.Context(), env.ID)
	if err != nil {
		return rest.Response{}, err
	}
	shown := make([]shownKey, len(keys))
	for i := range keys {
		shown[i] = a.showKey(&keys[i])
	}
	return rest.OK(map[string]any{"keys": shown}), nil
}

type keyRequest struct {
	Name      string  `json:"name"`
	Scope     *string `json:"scope"`
	ExpiresAt *string `json:"expires_at"`
}

type madeKey struct {
	shownKey
	APIKey string `json:"api_key"`
}

// createKey makes a key, whose text is shown here and never again.
func (a *API) createKey(r *http.Request) (rest.Response, error) {
	env, err := a.environment(r)
	if err != nil {
		return rest.Response{}, err
	}
	var want keyRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	name, err := checkName("name", want.Name)
	if err != nil {
		return rest.Response{}, err
	}
	scope, now := tenant.Full, rest.Moment(a.Now())
	if want.Scope != nil {
		scope = tenant.Scope(*want.Scope)
	}
	if err := scope.CheckNew(); err != nil {
		return rest.Response{}, err
	}
	key, credential := tenant.NewKey(env, name, scope, now)
	if want.ExpiresAt != nil {
		at, err := time.Parse(time.RFC3339, *want.ExpiresAt)
		if err != nil || !at.After(now) || at.Year() > maxYear {
			return rest.Response{}, fault.New(fault.Invalid, "expires_at must be a time in the future and before the year %d, as 2027-01-31T12:00:00Z", maxYear+1)
		}
		key.ExpiresAt = rest.Moment(at)
	}
	err = a.changeKeys(r, env.ID, func(keys []tenant.Key) ([]tenant.Key, error) { return withKey(keys, key, now) })
	if err != nil {
		return rest.Response{}, err
	}
	shown := madeKey{a.showKey(&key), credential}
	return rest.Response{Status: http.StatusCreated, Header: noStore(), Body: shown, Made: []string{key.ID}}, nil
}

// maxYear is the last whole year that nanoseconds since 1970 reach in 64 bits.
const maxYear = 2261

// withKey adds a key, unless there are as many that work as there may be, and
// lets go of the oldest of those that are over.
func withKey(keys []tenant.Key, made tenant.Key, now time.Time) ([]tenant.Key, error) {
	over := 0
	for i := range keys {
		if !keys[i].Works(now) {
			over++
		}
	}
	if len(keys)-over >= maxKeys {
		return nil, fault.New(fault.Conflict, "an environment may have at most %d keys that work: revoke one first", maxKeys)
	}
	keys = slices.DeleteFunc(keys, func(k tenant.Key) bool {
		gone := over > keptKeys && !k.Works(now)
		if gone {
			over--
		}
		return gone
	})
	return append(keys, made), nil
}

// revokeKey ends a key. One that was revoked before stays so.
func (a *API) revokeKey(r *http.Request) (rest.Response, error) {
	env, err := a.environment(r)
	if err != nil {
		return rest.Response{}, err
	}
	id, now := rest.PathValue(r, "key_id"), rest.Moment(a.Now())
	err = a.changeKeys(r, env.ID, func(keys []tenant.Key) ([]tenant.Key, error) {
		i := slices.IndexFunc(keys, func(k tenant.Key) bool { return k.ID == id })
		if i < 0 {
			return nil, fault.New(fault.NotFound, "key not found")
		}
		if keys[i].RevokedAt.IsZero() {
			keys[i].RevokedAt = now
		}
		return keys, nil
	})
	if err != nil {
		return rest.Response{}, err
	}
	return rest.Response{Status: http.StatusNoContent}, nil
}

func (a *API) changeKeys(r *http.Request, env tenant.EnvironmentID, change func([]tenant.Key) ([]tenant.Key, error)) error {
	return a.Control.ChangeKeys(r.Context(), []tenant.EnvironmentID{env}, change)
}
