// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

// ListAutoMonitorSetupsInput has the parameters of an operation.
type ListAutoMonitorSetupsInput struct {
	Status     string `query:"status" doc:"Only setups with this status."`
	ExternalID string `query:"external_id" doc:"Only the setup with this external_id."`
	EntityType string `query:"entity_type" doc:"Only setups of entities of this type."`
}

// GetAutoMonitorSetupInput has the parameters of an operation.
type GetAutoMonitorSetupInput struct {
	Name string `path:"name" doc:"The external_id of the setup or, where no setup has it, the id."`
}

// UpdateAutoMonitorSetupInput has the parameters of an operation.
type UpdateAutoMonitorSetupInput struct {
	Name    string      `path:"name" doc:"The external_id of the setup or, where no setup has it, the id."`
	IfMatch string      `header:"If-Match" doc:"The ETag of the version that is to be changed, or several with commas between them: another one is refused with 412. * is any."`
	Body    SetupChange `body:"json"`
}

// GetAutoMonitorSetupFunnelInput has the parameters of an operation.
type GetAutoMonitorSetupFunnelInput struct {
	Name             string `path:"name" doc:"The external_id of the setup or, where no setup has it, the id."`
	FromTimestampSec int64  `query:"from_timestamp_sec" doc:"Spans that started at or after this Unix time in seconds." schema:"required"`
	ToTimestampSec   int64  `query:"to_timestamp_sec" doc:"Spans that started at or before this Unix time in seconds; now if it is left out."`
}

// CreateBackfillInput has the parameters of an operation.
type CreateBackfillInput struct {
	Name string      `path:"name" doc:"The external_id of the setup or, where no setup has it, the id."`
	Body rest.Period `body:"json"`
}

// GetBackfillInput has the parameters of an operation.
type GetBackfillInput struct {
	Name string `path:"name" doc:"The external_id of the setup or, where no setup has it, the id."`
	ID   string `path:"id" doc:"The id of the backfill."`
}

// CreateAutoMonitorSetup is the operation create-auto-monitor-setup.
var CreateAutoMonitorSetup = rest.Operation[SetupRequest, Setup]{
	Method: http.MethodPost, Path: "/v2/auto-monitor-setups", Scope: rest.ForEnvironment,
	Tag: "Auto monitors", ID: "create-auto-monitor-setup", Summary: "Create an auto monitor setup",
	Doc:    "Runs the evaluators on every span that matches the selector, from this answer on. An environment may have 1000 setups, and of one span 200 evaluations are made, those of older setups first: a setup is refused with which there would be more, counting all without a selector and the one with a selector that has most evaluators. An evaluator that cannot run on spans, or not yet, does not keep the others from it: its status becomes failed, and error_message says why.",
	Status: http.StatusCreated, Answer: "The setup, pending.",
	Headers:  map[string]string{"ETag": "ETag"},
	Refusals: []int{http.StatusConflict, http.StatusGatewayTimeout},
}

// ListAutoMonitorSetups is the operation list-auto-monitor-setups.
var ListAutoMonitorSetups = rest.Operation[ListAutoMonitorSetupsInput, []Setup]{
	Method: http.MethodGet, Path: "/v2/auto-monitor-setups", Scope: rest.ForEnvironment,
	Tag: "Auto monitors", ID: "list-auto-monitor-setups", Summary: "List auto monitor setups",
	Doc:      "Oldest first.",
	Answer:   "The setups.",
	Refusals: []int{http.StatusGatewayTimeout},
}

// PutAutoMonitorSetups is the operation put-auto-monitor-setups.
var PutAutoMonitorSetups = rest.Operation[BulkRequest, BulkAnswer]{
	Method: http.MethodPost, Path: "/v2/auto-monitor-setups/bulk", Scope: rest.ForEnvironment,
	Tag: "Auto monitors", ID: "put-auto-monitor-setups", Summary: "Create or replace many auto monitor setups",
	Doc:    "Makes every setup as the item has it: one that is there is replaced as a whole and goes back to pending, with its id and created_at. Each item stands for itself. When an item is not named, or two have one external_id, nothing is done and the answer is 400.",
	Status: http.StatusMultiStatus, Answer: "What became of each item.",
	Refusals: []int{http.StatusGatewayTimeout},
}

// GetAutoMonitorSetup is the operation get-auto-monitor-setup.
var GetAutoMonitorSetup = rest.Operation[GetAutoMonitorSetupInput, Setup]{
	Method: http.MethodGet, Path: "/v2/auto-monitor-setups/{name}", Scope: rest.ForEnvironment,
	Tag: "Auto monitors", ID: "get-auto-monitor-setup", Summary: "Get an auto monitor setup",
	Answer:   "The setup.",
	Headers:  map[string]string{"ETag": "ETag"},
	Refusals: []int{http.StatusNotFound, http.StatusGatewayTimeout},
}

// UpdateAutoMonitorSetup is the operation update-auto-monitor-setup.
var UpdateAutoMonitorSetup = rest.Operation[UpdateAutoMonitorSetupInput, Setup]{
	Method: http.MethodPut, Path: "/v2/auto-monitor-setups/{name}", Scope: rest.ForEnvironment,
	Tag: "Auto monitors", ID: "update-auto-monitor-setup", Summary: "Update an auto monitor setup",
	Doc:      "What the body has replaces what was; what it leaves out, or has as null, stays, but for min_spans, max_cost_per_day, deadline_sec, other_languages, on_verdict and paused, which null takes away. The setup goes back to pending, unless the body has nothing but paused.",
	Answer:   "The setup as it is now.",
	Headers:  map[string]string{"ETag": "ETag"},
	Refusals: []int{http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed, http.StatusGatewayTimeout},
}

// DeleteAutoMonitorSetup is the operation delete-auto-monitor-setup.
var DeleteAutoMonitorSetup = rest.Operation[GetAutoMonitorSetupInput, rest.None]{
	Method: http.MethodDelete, Path: "/v2/auto-monitor-setups/{name}", Scope: rest.ForEnvironment,
	Tag: "Auto monitors", ID: "delete-auto-monitor-setup", Summary: "Delete an auto monitor setup",
	Status: http.StatusNoContent, Answer: "The setup is gone.",
	Refusals: []int{http.StatusNotFound, http.StatusGatewayTimeout},
}

// GetAutoMonitorSetupStatus is the operation get-auto-monitor-setup-status.
var GetAutoMonitorSetupStatus = rest.Operation[GetAutoMonitorSetupInput, SetupStatus]{
	Method: http.MethodGet, Path: "/v2/auto-monitor-setups/{name}/status", Scope: rest.ForEnvironment,
	Tag: "Auto monitors", ID: "get-auto-monitor-setup-status", Summary: "Get what became of the spans of a setup",
	Doc:      "Counts the evaluations of the setup, by evaluator. Spans that are past their retention are not counted any more.",
	Answer:   "The counts.",
	Refusals: []int{http.StatusNotFound, http.StatusGatewayTimeout},
}

// GetAutoMonitorSetupFunnel is the operation get-auto-monitor-setup-funnel.
var GetAutoMonitorSetupFunnel = rest.Operation[GetAutoMonitorSetupFunnelInput, Funnel]{
	Method: http.MethodGet, Path: "/v2/auto-monitor-setups/{name}/funnel", Scope: rest.ForEnvironment,
	Tag: "Auto monitors", ID: "get-auto-monitor-setup-funnel", Summary: "Get how many spans pass the rules of a setup",
	Doc:      "Counts the spans of a period that pass the first rule, the first two, and so on. Up to ten rules that the store reads as they are meant are counted over the whole period; else up to 10,000 of its latest spans are looked at.",
	Answer:   "The figures.",
	Refusals: []int{http.StatusNotFound, http.StatusGatewayTimeout},
}

// CreateBackfill is the operation create-backfill.
var CreateBackfill = rest.Operation[CreateBackfillInput, Backfill]{
	Method: http.MethodPost, Path: "/v2/auto-monitor-setups/{name}/backfill", Scope: rest.ForEnvironment,
	Tag: "Auto monitors", ID: "create-backfill", Summary: "Judge stored spans",
	Doc:    "Judges the stored spans of a period as the setup judges those that come. Verdicts that are there stay. A setup has at most five backfills under way.",
	Status: http.StatusAccepted, Answer: "The backfill, pending.",
	Headers:  map[string]string{"Location": "Location"},
	Refusals: []int{http.StatusNotFound, http.StatusConflict, http.StatusGatewayTimeout},
}

// ListBackfills is the operation list-backfills.
var ListBackfills = rest.Operation[GetAutoMonitorSetupInput, []Backfill]{
	Method: http.MethodGet, Path: "/v2/auto-monitor-setups/{name}/backfill", Scope: rest.ForEnvironment,
	Tag: "Auto monitors", ID: "list-backfills", Summary: "List the backfills of a setup",
	Doc:      "Oldest first.",
	Answer:   "The backfills.",
	Refusals: []int{http.StatusNotFound, http.StatusGatewayTimeout},
}

// GetBackfill is the operation get-backfill.
var GetBackfill = rest.Operation[GetBackfillInput, Backfill]{
	Method: http.MethodGet, Path: "/v2/auto-monitor-setups/{name}/backfill/{id}", Scope: rest.ForEnvironment,
	Tag: "Auto monitors", ID: "get-backfill", Summary: "Get a backfill",
	Doc:      "One backfill and how far it got.",
	Answer:   "The backfill.",
	Refusals: []int{http.StatusNotFound, http.StatusGatewayTimeout},
}

// CancelBackfill is the operation cancel-backfill.
var CancelBackfill = rest.Operation[GetBackfillInput, Backfill]{
	Method: http.MethodDelete, Path: "/v2/auto-monitor-setups/{name}/backfill/{id}", Scope: rest.ForEnvironment,
	Tag: "Auto monitors", ID: "cancel-backfill", Summary: "Cancel a backfill",
	Doc:      "Stops it where it is. What it has done stays.",
	Answer:   "The backfill, cancelled.",
	Refusals: []int{http.StatusNotFound, http.StatusConflict, http.StatusGatewayTimeout},
}
