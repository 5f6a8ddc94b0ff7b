// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

// GetOrganizationInput has the parameters of an operation.
type GetOrganizationInput struct {
	ID string `path:"id" doc:"The id of the organization."`
}

// UpdateOrganizationInput has the parameters of an operation.
type UpdateOrganizationInput struct {
	ID   string             `path:"id" doc:"The id of the organization."`
	Body OrganizationChange `body:"json"`
}

// SetPricesInput has the parameters of an operation.
type SetPricesInput struct {
	ID   string        `path:"id" doc:"The id of the organization."`
	Body PricesRequest `body:"json"`
}

// CreateEnvironmentInput has the parameters of an operation.
type CreateEnvironmentInput struct {
	ID   string             `path:"id" doc:"The id of the organization."`
	Body EnvironmentRequest `body:"json"`
}

// UpdateEnvironmentInput has the parameters of an operation.
type UpdateEnvironmentInput struct {
	ID   string            `path:"id" doc:"The id of the organization."`
	Slug string            `path:"slug" doc:"The slug of the environment."`
	Body EnvironmentChange `body:"json"`
}

// ListKeysInput has the parameters of an operation.
type ListKeysInput struct {
	ID   string `path:"id" doc:"The id of the organization."`
	Slug string `path:"slug" doc:"The slug of the environment."`
}

// CreateKeyInput has the parameters of an operation.
type CreateKeyInput struct {
	ID   string     `path:"id" doc:"The id of the organization."`
	Slug string     `path:"slug" doc:"The slug of the environment."`
	Body KeyRequest `body:"json"`
}

// RevokeKeyInput has the parameters of an operation.
type RevokeKeyInput struct {
	ID    string `path:"id" doc:"The id of the organization."`
	Slug  string `path:"slug" doc:"The slug of the environment."`
	KeyID string `path:"key_id" doc:"The id of the key."`
}

// CreateOrganization is the operation create-organization.
var CreateOrganization = rest.Operation[OrganizationRequest, Organization]{
	Method: http.MethodPost, Path: "/v2/organizations", Scope: rest.ForOperator,
	Tag: "Organizations", ID: "create-organization", Summary: "Create an organization",
	Doc:    "Makes an organization with its environments, and an API key for each. The keys are shown in this answer only.",
	Status: http.StatusCreated, Answer: "The organization.",
	Headers: map[string]string{"Cache-Control": "CacheControl"},
}

// ListOrganizations is the operation list-organizations.
var ListOrganizations = rest.Operation[rest.None, Organizations]{
	Method: http.MethodGet, Path: "/v2/organizations", Scope: rest.ForOperator,
	Tag: "Organizations", ID: "list-organizations", Summary: "List organizations",
	Doc:    "Oldest first; those that are being deleted too, but none of which nothing is left.",
	Answer: "The organizations.",
}

// GetOrganization is the operation get-organization.
var GetOrganization = rest.Operation[GetOrganizationInput, OrganizationRecord]{
	Method: http.MethodGet, Path: "/v2/organizations/{id}", Scope: rest.ForOperator,
	Tag: "Organizations", ID: "get-organization", Summary: "Get an organization",
	Doc:      "A deleted one is listed too: its status says whether something of it is left.",
	Answer:   "The organization.",
	Refusals: []int{http.StatusNotFound},
}

// UpdateOrganization is the operation update-organization.
var UpdateOrganization = rest.Operation[UpdateOrganizationInput, OrganizationRecord]{
	Method: http.MethodPatch, Path: "/v2/organizations/{id}", Scope: rest.ForOperator,
	Tag: "Organizations", ID: "update-organization", Summary: "Change an organization",
	Doc:      "What the body leaves out, or has as null, stays. A retention is that of all its environments from then on; spans whose new retention is over are not shown any more, and those that were removed do not come back.",
	Answer:   "The organization.",
	Refusals: []int{http.StatusNotFound, http.StatusConflict},
}

// DeleteOrganization is the operation delete-organization.
var DeleteOrganization = rest.Operation[GetOrganizationInput, OrganizationRecord]{
	Method: http.MethodDelete, Path: "/v2/organizations/{id}", Scope: rest.ForOperator,
	Tag: "Organizations", ID: "delete-organization", Summary: "Delete an organization",
	Doc:    "Its keys, setups and evaluators are gone with the answer, and nothing of it is shown any more. Its spans go when they expire; the status becomes deleted when nothing of it is left.",
	Status: http.StatusAccepted, Answer: "The organization.",
	Refusals: []int{http.StatusNotFound},
}

// GetPrices is the operation get-prices.
var GetPrices = rest.Operation[GetOrganizationInput, Prices]{
	Method: http.MethodGet, Path: "/v2/organizations/{id}/prices", Scope: rest.ForOperator,
	Tag: "Organizations", ID: "get-prices", Summary: "Get the prices of an organization",
	Doc:      "They come before the prices of the configuration and the list prices.",
	Answer:   "The prices.",
	Refusals: []int{http.StatusNotFound},
}

// SetPrices is the operation set-prices.
var SetPrices = rest.Operation[SetPricesInput, Prices]{
	Method: http.MethodPut, Path: "/v2/organizations/{id}/prices", Scope: rest.ForOperator,
	Tag: "Organizations", ID: "set-prices", Summary: "Replace the prices of an organization",
	Doc:      "Every process uses them within a second for the spans that arrive. Stored spans keep their costs. An empty list removes all prices.",
	Answer:   "The prices.",
	Refusals: []int{http.StatusNotFound, http.StatusConflict},
}

// CreateEnvironment is the operation create-environment.
var CreateEnvironment = rest.Operation[CreateEnvironmentInput, MadeEnvironment]{
	Method: http.MethodPost, Path: "/v2/organizations/{id}/environments", Scope: rest.ForOperator,
	Tag: "Organizations", ID: "create-environment", Summary: "Add an environment",
	Doc:    "The key is shown in this answer only.",
	Status: http.StatusCreated, Answer: "The environment.",
	Headers:  map[string]string{"Cache-Control": "CacheControl"},
	Refusals: []int{http.StatusNotFound, http.StatusConflict},
}

// UpdateEnvironment is the operation update-environment.
var UpdateEnvironment = rest.Operation[UpdateEnvironmentInput, EnvironmentRecord]{
	Method: http.MethodPatch, Path: "/v2/organizations/{id}/environments/{slug}", Scope: rest.ForOperator,
	Tag: "Organizations", ID: "update-environment", Summary: "Change an environment",
	Doc:      "What the body leaves out, or has as null, stays.",
	Answer:   "The environment.",
	Refusals: []int{http.StatusNotFound, http.StatusConflict},
}

// ListKeys is the operation list-keys.
var ListKeys = rest.Operation[ListKeysInput, Keys]{
	Method: http.MethodGet, Path: "/v2/organizations/{id}/environments/{slug}/keys", Scope: rest.ForOperator,
	Tag: "Organizations", ID: "list-keys", Summary: "List the keys of an environment",
	Doc:      "Oldest first, without their texts. Of keys that are over the latest hundred are kept.",
	Answer:   "The keys.",
	Refusals: []int{http.StatusNotFound, http.StatusConflict},
}

// CreateKey is the operation create-key.
var CreateKey = rest.Operation[CreateKeyInput, MadeKey]{
	Method: http.MethodPost, Path: "/v2/organizations/{id}/environments/{slug}/keys", Scope: rest.ForOperator,
	Tag: "Organizations", ID: "create-key", Summary: "Make a key",
	Doc:    "Its text is shown in this answer only. An environment has at most 100 keys that work.",
	Status: http.StatusCreated, Answer: "The key.",
	Headers:  map[string]string{"Cache-Control": "CacheControl"},
	Refusals: []int{http.StatusNotFound, http.StatusConflict},
}

// RevokeKey is the operation revoke-key.
var RevokeKey = rest.Operation[RevokeKeyInput, rest.None]{
	Method: http.MethodDelete, Path: "/v2/organizations/{id}/environments/{slug}/keys/{key_id}", Scope: rest.ForOperator,
	Tag: "Organizations", ID: "revoke-key", Summary: "Revoke a key",
	Doc:    "Every process refuses it within a second, on open connections too. A key that was revoked before stays so.",
	Status: http.StatusNoContent, Answer: "The key is revoked.",
	Refusals: []int{http.StatusNotFound, http.StatusConflict},
}
