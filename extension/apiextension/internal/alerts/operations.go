// SPDX-License-Identifier: Apache-2.0

package alerts

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

// GetAlertInput has the parameters of an operation.
type GetAlertInput struct {
	Name string `path:"name" doc:"The name of the alert or, where no alert has it, the id."`
}

// PutAlertInput has the parameters of an operation.
type PutAlertInput struct {
	Name string       `path:"name" doc:"The name of the alert or, where no alert has it, the id."`
	Body AlertRequest `body:"json"`
}

// SilenceAlertInput has the parameters of an operation.
type SilenceAlertInput struct {
	Name string         `path:"name" doc:"The name of the alert or, where no alert has it, the id."`
	Body SilenceRequest `body:"json"`
}

// CreateAlert is the operation create-alert.
var CreateAlert = rest.Operation[AlertRequest, Alert]{
	Method: http.MethodPost, Path: "/v2/alerts", Scope: rest.ForEnvironment,
	Tag: "Alerts", ID: "create-alert", Summary: "Create an alert",
	Doc:    "Watches a figure of the environment from the next minute on. An environment may have 100 alerts, and 20 of them may have filters or q.",
	Status: http.StatusCreated, Answer: "The alert.",
	Refusals: []int{http.StatusConflict},
}

// ListAlerts is the operation list-alerts.
var ListAlerts = rest.Operation[rest.None, []Alert]{
	Method: http.MethodGet, Path: "/v2/alerts", Scope: rest.ForEnvironment,
	Tag: "Alerts", ID: "list-alerts", Summary: "List alerts",
	Doc:    "Oldest first.",
	Answer: "The alerts, with the status of their groups.",
}

// GetAlert is the operation get-alert.
var GetAlert = rest.Operation[GetAlertInput, Alert]{
	Method: http.MethodGet, Path: "/v2/alerts/{name}", Scope: rest.ForEnvironment,
	Tag: "Alerts", ID: "get-alert", Summary: "Get an alert",
	Doc:      "One alert with the status of its groups.",
	Answer:   "The alert.",
	Refusals: []int{http.StatusNotFound},
}

// PutAlert is the operation put-alert.
var PutAlert = rest.Operation[PutAlertInput, Alert]{
	Method: http.MethodPut, Path: "/v2/alerts/{name}", Scope: rest.ForEnvironment,
	Tag: "Alerts", ID: "put-alert", Summary: "Replace an alert",
	Doc:      "Replaces the alert as a whole. A target that leaves out url or secret keeps those of the stored target with its name. If what it watches changes, the alert starts from the beginning.",
	Answer:   "The alert as it is now.",
	Refusals: []int{http.StatusNotFound, http.StatusConflict},
}

// DeleteAlert is the operation delete-alert.
var DeleteAlert = rest.Operation[GetAlertInput, rest.None]{
	Method: http.MethodDelete, Path: "/v2/alerts/{name}", Scope: rest.ForEnvironment,
	Tag: "Alerts", ID: "delete-alert", Summary: "Delete an alert",
	Doc:    "Deletes the alert with its history. Notifications that were not sent yet are dropped.",
	Status: http.StatusNoContent, Answer: "The alert is gone.",
	Refusals: []int{http.StatusNotFound},
}

// TestAlert is the operation test-alert.
var TestAlert = rest.Operation[GetAlertInput, AlertTest]{
	Method: http.MethodPost, Path: "/v2/alerts/{name}/test", Scope: rest.ForEnvironment,
	Tag: "Alerts", ID: "test-alert", Summary: "Send a test message of an alert",
	Doc:      "Sends one message to each target of the alert, once, with the present figures of its groups.",
	Answer:   "What became of each message.",
	Refusals: []int{http.StatusBadRequest, http.StatusNotFound},
}

// AlertHistory is the operation get-alert-history.
var AlertHistory = rest.Operation[GetAlertInput, []AlertNotification]{
	Method: http.MethodGet, Path: "/v2/alerts/{name}/history", Scope: rest.ForEnvironment,
	Tag: "Alerts", ID: "get-alert-history", Summary: "Get the history of an alert",
	Doc:      "The latest 200 notifications of the last 30 days, newest first, with what became of them at each target.",
	Answer:   "The notifications.",
	Refusals: []int{http.StatusNotFound},
}

// SilenceAlert is the operation silence-alert.
var SilenceAlert = rest.Operation[SilenceAlertInput, Alert]{
	Method: http.MethodPost, Path: "/v2/alerts/{name}/silence", Scope: rest.ForEnvironment,
	Tag: "Alerts", ID: "silence-alert", Summary: "Silence an alert",
	Doc:      "Until the given time the alert is evaluated, and its history goes on, but nothing is sent.",
	Answer:   "The alert.",
	Refusals: []int{http.StatusNotFound},
}

// UnsilenceAlert is the operation unsilence-alert.
var UnsilenceAlert = rest.Operation[GetAlertInput, Alert]{
	Method: http.MethodDelete, Path: "/v2/alerts/{name}/silence", Scope: rest.ForEnvironment,
	Tag: "Alerts", ID: "unsilence-alert", Summary: "End the silence of an alert",
	Doc:      "Notifications are sent again from now on.",
	Answer:   "The alert.",
	Refusals: []int{http.StatusNotFound},
}
