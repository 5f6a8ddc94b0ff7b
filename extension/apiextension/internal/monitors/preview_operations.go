// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

// PreviewAutoMonitorSetup is the operation preview-auto-monitor-setup.
var PreviewAutoMonitorSetup = rest.Operation[previewRequest, Preview]{
	Method: http.MethodPost, Path: "/v2/auto-monitor-setups/preview", Scope: rest.ForEnvironment,
	Tag: "Auto monitors", ID: "preview-auto-monitor-setup", Summary: "Try an auto monitor setup on stored spans",
	Doc:      "Says which stored spans the setup would match, what its evaluators would get of them, and what is missing. Nothing is judged and nothing is stored.",
	Answer:   "What the setup would see.",
	Refusals: []int{http.StatusGatewayTimeout},
}
