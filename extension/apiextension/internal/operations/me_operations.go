// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

// GetMe is the operation get-me.
var GetMe = rest.Operation[rest.None, Me]{
	Method: http.MethodGet, Path: "/v2/me", Scope: rest.ForCaller,
	Tag: "Service", ID: "get-me", Summary: "Get who is calling",
	Doc:      "For the holder of a key that may read, and for the operator.",
	Answer:   "Who is calling.",
	Refusals: []int{http.StatusTooManyRequests, http.StatusGatewayTimeout},
}
