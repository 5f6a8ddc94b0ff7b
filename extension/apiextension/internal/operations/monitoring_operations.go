// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

// GetMonitoringStatus is the operation get-monitoring-status.
var GetMonitoringStatus = rest.Operation[rest.None, monitoringStatus]{
	Method: http.MethodGet, Path: "/v2/monitoring/status", Scope: rest.ForEnvironment,
	Tag: "Metrics", ID: "get-monitoring-status", Summary: "Get how far evaluation is behind",
	Doc:      "By default a lag above 3 minutes is DEGRADED and one above 10 minutes ERROR.",
	Answer:   "The status.",
	Refusals: []int{http.StatusGatewayTimeout},
}

// GetMonitoredSetups is the operation get-monitored-setups.
var GetMonitoredSetups = rest.Operation[rest.None, MonitoredSetups]{
	Method: http.MethodGet, Path: "/v2/monitoring/setups", Scope: rest.ForEnvironment,
	Tag: "Metrics", ID: "get-monitored-setups", Summary: "Get what all setups come to",
	Doc:      "Tells of every setup, for the hour that is under way and the 23 before it, how many spans it matched, what became of their evaluations and what that cost; and how many evaluations are pending, whenever they were deferred.",
	Answer:   "The figures.",
	Refusals: []int{http.StatusGatewayTimeout},
}
