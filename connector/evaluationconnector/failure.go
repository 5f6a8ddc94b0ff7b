// SPDX-License-Identifier: Apache-2.0

package evaluationconnector

import "strings"

// failureOf returns the class of a failure, which is one of few, for the reason
// that an evaluation gives.
func failureOf(reason string) string {
	switch {
	case strings.HasPrefix(reason, "the model "):
		return "model_error"
	case strings.HasPrefix(reason, "input."):
		return "invalid_input"
	case strings.HasPrefix(reason, "config."):
		return "invalid_config"
	case reason == "internal error":
		return "internal_error"
	default:
		return "_OTHER"
	}
}
