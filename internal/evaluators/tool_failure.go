// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxShortMessage is the length of a text that is one message as a whole.
const maxShortMessage = 200

var (
	errorMembers   = []string{"error", "errors", "exception", "traceback", "stack_trace", "fault"}
	successMembers = []string{"success", "ok"}
	statusMembers  = []string{"status", "state"}
	codeMembers    = []string{"status", "status_code", "statuscode", "code"}
	flagMembers    = []string{"iserror", "is_error"}

	failedStatuses = []string{"error", "failed", "failure", "timeout", "denied", "unauthorized", "cancelled", "canceled"}

	// errorLine is the line of an error, whatever stands around it.
	errorLine = regexp.MustCompile(`(?m)^[ \t]*(?:(Traceback) \(most recent call last\)|(panic):|((?i:fatal error|fatal)):|` +
		`(?:[A-Za-z_][A-Za-z0-9_]*\.)*[A-Za-z_]*((?i:error|exception))[ \t]*:|(Exception)\b|((?i:http)(?:/\d(?:\.\d)?)?[ \t]+[45]\d\d)\b)`)
	// failureMessage is a failure when it is in a message and nothing else is.
	failureMessage = regexp.MustCompile(`(?i)\b(permission denied|access denied|connection refused|timed out|not found|http(?:/\d(?:\.\d)?)? [45]\d\d)\b`)
)

// textFailure gives the sign of an error in plain text, or "".
func textFailure(text string) string {
	if found := errorLine.FindStringSubmatch(text); found != nil {
		for _, sign := range found[1:] {
			if sign != "" {
				return "The tool output has the line of an error: " + sign + "."
			}
		}
	}
	text = strings.TrimSpace(text)
	if len(text) <= maxShortMessage {
		if sign := failureMessage.FindString(text); sign != "" {
			return "The tool output is a message of failure: " + strings.ToLower(sign) + "."
		}
	}
	return ""
}

// objectFailure gives the sign of an error among the members of an object, as
// a predicate, or "".
func objectFailure(object map[string]any) string {
	for _, key := range sortedKeys(object) {
		value, name := object[key], strings.ToLower(key)
		switch {
		case slices.Contains(errorMembers, name) && isSet(value),
			slices.Contains(flagMembers, name) && value == true:
			return "has " + quoteKey(key) + " set"
		case slices.Contains(successMembers, name) && (value == false || isWord(value, "false")):
			return "has " + quoteKey(key) + " false"
		case slices.Contains(statusMembers, name) && isWord(value, failedStatuses...):
			return "has " + quoteKey(key) + " " + strings.ToLower(strings.TrimSpace(value.(string)))
		case slices.Contains(codeMembers, name) && isErrorCode(value):
			return "has an error code in " + quoteKey(key)
		}
	}
	return ""
}

// isSet reports whether a member says that there is something.
func isSet(value any) bool {
	switch v := value.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return strings.TrimSpace(v) != "" && !isWord(v, "none", "null", "false", "no")
	case json.Number:
		return decimal(v.String()) != "0"
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	default:
		return true
	}
}

func isWord(value any, words ...string) bool {
	text, ok := value.(string)
	return ok && slices.Contains(words, strings.ToLower(strings.TrimSpace(text)))
}

// isErrorCode reports whether value is an HTTP status of failure, as a number
// or as text.
func isErrorCode(value any) bool {
	var text string
	switch v := value.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = strings.TrimSpace(v)
	}
	code, err := strconv.Atoi(text)
	return err == nil && code >= 400 && code <= 599
}

func sortedKeys(object map[string]any) []string {
	return slices.Sorted(maps.Keys(object))
}

// quoteKey shows a key to people.
func quoteKey(key string) string { return `"` + shorten(key) + `"` }
