// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

// GetDataDeletionInput has the parameters of an operation.
type GetDataDeletionInput struct {
	RequestID string `query:"requestId" doc:"What the request answered." schema:"required"`
}

// DeleteData is the operation deleteData.
var DeleteData = rest.Operation[DataDeletionRequest, DataDeletion]{
	Method: http.MethodDelete, Path: "/api/config/privacy/data-deletion", Scope: rest.ForEnvironment,
	Tag: "Privacy", ID: "deleteData", Summary: "Delete what is stored of people",
	Doc:    "Spans that have all association properties of one of the entries go, with their verdicts of all revisions, their pending evaluations, messages that came apart from them, and the answers of models that are kept. The work goes on behind the answer, survives a crash, and is completed a minute after the request at the earliest, so that nothing is missed that was on its way. No file of DuckDB has any of it then. Damaged files that were moved away, and backups, are not changed.",
	Answer: "It is written down, and will be done.",
}

// GetDataDeletion is the operation getDataDeletion.
var GetDataDeletion = rest.Operation[GetDataDeletionInput, DataDeletionStatus]{
	Method: http.MethodGet, Path: "/api/config/privacy/data-deletion", Scope: rest.ForEnvironment,
	Tag: "Privacy", ID: "getDataDeletion", Summary: "How far a deletion is",
	Doc:      "A completed deletion is remembered for 30 days, without the properties.",
	Answer:   "How many spans there are, and how many of them are gone.",
	Refusals: []int{http.StatusNotFound},
}

// TracingAllowList is the operation tracingAllowList.
var TracingAllowList = rest.Operation[rest.None, AllowList]{
	Method: http.MethodGet, Path: "/v1/traceloop/pii/tracing-allow-list", Scope: rest.ForEnvironment,
	Tag: "Privacy", ID: "tracingAllowList", Summary: "Whose texts SDKs may send",
	Doc:      "What SDKs of OpenLLMetry ask for that send no prompts and completions but those of some people. A key of any scope will do.",
	Answer:   "The list.",
	Refusals: []int{http.StatusBadRequest},
}

// GetAllowList is the operation allowList.
var GetAllowList = rest.Operation[rest.None, AllowList]{
	Method: http.MethodGet, Path: "/api/config/pii/tracing-allow-list", Scope: rest.ForEnvironment,
	Tag: "Privacy", ID: "allowList", Summary: "Whose texts SDKs may send",
	Doc:      "The list that SDKs get.",
	Answer:   "The list.",
	Refusals: []int{http.StatusBadRequest},
}

// Allow is the operation allow.
var Allow = rest.Operation[AllowListRequest, AllowList]{
	Method: http.MethodPost, Path: "/api/config/pii/tracing-allow-list", Scope: rest.ForEnvironment,
	Tag: "Privacy", ID: "allow", Summary: "Let SDKs send texts of people",
	Doc:      "Adds entries to the list, which may have 1,000.",
	Answer:   "The list.",
	Refusals: []int{http.StatusConflict},
}

// Disallow is the operation disallow.
var Disallow = rest.Operation[AllowListEntry, AllowList]{
	Method: http.MethodDelete, Path: "/api/config/pii/tracing-allow-list", Scope: rest.ForEnvironment,
	Tag: "Privacy", ID: "disallow", Summary: "Take people off the list",
	Doc:    "Removes the entry that has exactly these properties; one that is not there changes nothing.",
	Answer: "The list.",
}
