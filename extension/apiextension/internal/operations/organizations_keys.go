// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"context"
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

// KeyRecord is a key without its secret.
type KeyRecord struct {
	ID         string       `json:"id" doc:"Identifies the key; no secret."`
	Name       string       `json:"name" doc:"What it is called."`
	Scope      tenant.Scope `json:"scope" doc:"What its holder may do. full: everything in the environment. ingest: send telemetry. read: read what is stored; nothing that changes something or costs money. sidecar: send telemetry, and read the setups that a sidecar works with." enum:"full,ingest,read,sidecar"`
	Status     string       `json:"status" doc:"Whether it works." enum:"active,expired,revoked"`
	CreatedAt  string       `json:"created_at" doc:"When it was made." schema:"format=date-time"`
	ExpiresAt  string       `json:"expires_at,omitempty" doc:"When it ends by itself." schema:"format=date-time"`
	LastUsedAt string       `json:"last_used_at,omitempty" doc:"A minute in which it was used, at most a few minutes behind." schema:"format=date-time"`
	RevokedAt  string       `json:"revoked_at,omitempty" doc:"When it was revoked." schema:"format=date-time"`
}

func (a *OrganizationsAPI) showKey(k *tenant.Key) KeyRecord {
	shown := KeyRecord{
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
func (a *OrganizationsAPI) listKeys(r *http.Request) (rest.Response, error) {
	env, err := a.environment(r)
	if err != nil {
		return rest.Response{}, err
	}
	keys, err := a.keys(r.Context(), env)
	if err != nil {
		return rest.Response{}, err
	}
	return rest.OK(keys), nil
}

// keys returns the keys of an environment.
func (a *OrganizationsAPI) keys(ctx context.Context, env tenant.Environment) (*Keys, error) {
	keys, err := a.Control.Keys(ctx, env.ID)
	if err != nil {
		return nil, err
	}
	shown := make([]KeyRecord, len(keys))
	for i := range keys {
		shown[i] = a.showKey(&keys[i])
	}
	return &Keys{shown}, nil
}

// Keys are those of an environment.
type Keys struct {
	Keys []KeyRecord `json:"keys"`
}

// KeyRequest is a key to create.
type KeyRequest struct {
	Name      string  `json:"name" doc:"What it is called." schema:"required minLength=1 maxLength=255"`
	Scope     *string `json:"scope" doc:"One of full, ingest, read, sidecar; see the answer." schema:"nullable default=full"`
	ExpiresAt *string `json:"expires_at" doc:"When it ends by itself, RFC 3339. Default: never." schema:"nullable format=date-time"`
}

// MadeKey is a created key.
type MadeKey struct {
	KeyRecord
	APIKey string `json:"api_key" doc:"The credential." pattern:"^tl_[A-Za-z0-9_-]{43}$"`
}

// createKey makes a key, whose text is shown here and never again.
func (a *OrganizationsAPI) createKey(r *http.Request) (rest.Response, error) {
	env, err := a.environment(r)
	if err != nil {
		return rest.Response{}, err
	}
	var want KeyRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	shown, err := a.newKey(r.Context(), env, &want)
	if err != nil {
		return rest.Response{}, err
	}
	return rest.Response{Status: http.StatusCreated, Header: noStore(), Body: shown, Made: []string{shown.ID}}, nil
}

// newKey makes a key of an environment.
func (a *OrganizationsAPI) newKey(ctx context.Context, env tenant.Environment, want *KeyRequest) (*MadeKey, error) {
	name, err := checkName("name", want.Name)
	if err != nil {
		return nil, err
	}
	scope, now := tenant.Full, rest.Moment(a.Now())
	if want.Scope != nil {
		scope = tenant.Scope(*want.Scope)
	}
	if err := scope.CheckNew(); err != nil {
		return nil, err
	}
	key, credential := tenant.NewKey(env, name, scope, now)
	if want.ExpiresAt != nil {
		at, err := time.Parse(time.RFC3339, *want.ExpiresAt)
		if err != nil || !at.After(now) || at.Year() > maxYear {
			return nil, fault.New(fault.Invalid, "expires_at must be a time in the future and before the year %d, as 2027-01-31T12:00:00Z", maxYear+1)
		}
		key.ExpiresAt = rest.Moment(at)
	}
	err = a.changeKeys(ctx, env.ID, func(keys []tenant.Key) ([]tenant.Key, error) { return withKey(keys, key, now) })
	if err != nil {
		return nil, err
	}
	return &MadeKey{a.showKey(&key), credential}, nil
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
func (a *OrganizationsAPI) revokeKey(r *http.Request) (rest.Response, error) {
	env, err := a.environment(r)
	if err != nil {
		return rest.Response{}, err
	}
	if err := a.endKey(r.Context(), env, rest.PathValue(r, "key_id")); err != nil {
		return rest.Response{}, err
	}
	return rest.Response{Status: http.StatusNoContent}, nil
}

// endKey revokes a key of an environment.
func (a *OrganizationsAPI) endKey(ctx context.Context, env tenant.Environment, id string) error {
	now := rest.Moment(a.Now())
	return a.changeKeys(ctx, env.ID, func(keys []tenant.Key) ([]tenant.Key, error) {
		i := slices.IndexFunc(keys, func(k tenant.Key) bool { return k.ID == id })
		if i < 0 {
			return nil, fault.New(fault.NotFound, "key not found")
		}
		if keys[i].RevokedAt.IsZero() {
			keys[i].RevokedAt = now
		}
		return keys, nil
	})
}

func (a *OrganizationsAPI) changeKeys(ctx context.Context, env tenant.EnvironmentID, change func([]tenant.Key) ([]tenant.Key, error)) error {
	return a.Control.ChangeKeys(ctx, []tenant.EnvironmentID{env}, change)
}
