// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

// GetMappings is the operation get-mappings.
var GetMappings = rest.Operation[rest.None, Mappings]{
	Method: http.MethodGet, Path: "/v2/mappings", Scope: rest.ForEnvironment,
	Tag: "Mappings", ID: "get-mappings", Summary: "Get the mappings of attributes",
	Doc:      "They say what the environment reads attributes as that no convention names.",
	Answer:   "The mappings.",
	Refusals: []int{http.StatusNotFound},
}

// SetMappings is the operation set-mappings.
var SetMappings = rest.Operation[MappingsRequest, Mappings]{
	Method: http.MethodPut, Path: "/v2/mappings", Scope: rest.ForEnvironment,
	Tag: "Mappings", ID: "set-mappings", Summary: "Replace the mappings of attributes",
	Doc:      "They hold for spans that arrive from then on. Stored spans stay as they are.",
	Answer:   "The mappings.",
	Refusals: []int{http.StatusNotFound},
}

// TestMappings is the operation test-mappings.
var TestMappings = rest.Operation[MappingsTest, MappingsTrial]{
	Method: http.MethodPost, Path: "/v2/mappings/test", Scope: rest.ForEnvironment,
	Tag: "Mappings", ID: "test-mappings", Summary: "Try mappings of attributes on stored spans",
	Doc:      "Returns what the mappings would read of the newest spans, and from which attribute. It stores nothing.",
	Answer:   "What they would read.",
	Refusals: []int{http.StatusGatewayTimeout},
}
