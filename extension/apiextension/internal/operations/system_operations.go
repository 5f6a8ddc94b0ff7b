// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

// GetSystem is the operation get-system.
var GetSystem = rest.Operation[rest.None, System]{
	Method: http.MethodGet, Path: "/v2/system", Scope: rest.ForOperator,
	Tag: "Service", ID: "get-system", Summary: "Get how the process does",
	Doc:    "For the operator: what came in and was refused, the backlog, models, disk and memory, with the last hour minute by minute. It is of the process that answers alone, and forgotten when that ends.",
	Answer: "The state.",
}
