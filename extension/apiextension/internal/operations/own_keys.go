// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

// RevokeOwnKeyInput has the parameters of an operation.
type RevokeOwnKeyInput struct {
	KeyID string `path:"key_id" doc:"The id of the key."`
}

// ListOwnKeys is the operation list-own-keys.
var ListOwnKeys = rest.Operation[rest.None, Keys]{
	Method: http.MethodGet, Path: "/v2/keys", Scope: rest.ForEnvironment,
	Tag: "Organizations", ID: "list-own-keys", Summary: "List the keys of the environment",
	Doc:    "Oldest first, without their texts. Of keys that are over the latest hundred are kept.",
	Answer: "The keys.",
}

// CreateOwnKey is the operation create-own-key.
var CreateOwnKey = rest.Operation[KeyRequest, MadeKey]{
	Method: http.MethodPost, Path: "/v2/keys", Scope: rest.ForEnvironment,
	Tag: "Organizations", ID: "create-own-key", Summary: "Create a key of the environment",
	Doc:    "Its text is shown in this answer only. An environment has at most 100 keys that work.",
	Status: http.StatusCreated, Answer: "The key.",
	Headers:  map[string]string{"Cache-Control": "CacheControl"},
	Refusals: []int{http.StatusConflict},
}

// RevokeOwnKey is the operation revoke-own-key.
var RevokeOwnKey = rest.Operation[RevokeOwnKeyInput, rest.None]{
	Method: http.MethodDelete, Path: "/v2/keys/{key_id}", Scope: rest.ForEnvironment,
	Tag: "Organizations", ID: "revoke-own-key", Summary: "Revoke a key of the environment",
	Doc:    "Every process refuses it within a second, on open connections too. The key of the request cannot revoke itself.",
	Status: http.StatusNoContent, Answer: "The key is revoked.",
	Refusals: []int{http.StatusNotFound, http.StatusConflict},
}

func (a *OrganizationsAPI) listOwnKeys(c *rest.Call, _ *rest.None) (*Keys, error) {
	return a.keys(c.Context(), c.Env())
}

func (a *OrganizationsAPI) createOwnKey(c *rest.Call, want *KeyRequest) (*MadeKey, error) {
	made, err := a.newKey(c.Context(), c.Env(), want)
	if err != nil {
		return nil, err
	}
	c.Made(made.ID)
	c.Set("Cache-Control", "no-store")
	return made, nil
}

// revokeOwnKey ends a key. Who revokes keeps a key that works.
func (a *OrganizationsAPI) revokeOwnKey(c *rest.Call, in *RevokeOwnKeyInput) (*rest.None, error) {
	if in.KeyID == c.Principal.KeyID {
		return nil, fault.New(fault.Conflict, "a key cannot revoke itself: use another key, or ask the operator")
	}
	return nil, a.endKey(c.Context(), c.Env(), in.KeyID)
}
