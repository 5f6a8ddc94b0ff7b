// SPDX-License-Identifier: Apache-2.0

package toolfailure

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/evaluators/jsontext"
	"github.com/touchstone-otel/touchstone/internal/evaluators/wording"
)

var (
	errorMembers   = []string{"error", "errors", "exception", "traceback", "stack_trace", "stacktrace", "fault", "faultcode", "faultstring", "err", "errmsg", "error_message", "errormessage", "error_msg", "error_code", "errorcode", "errcode", "errno", "error_type", "errortype", "error_description", "failure_reason", "failurereason"}
	successMembers = []string{"success", "ok", "succeeded", "successful", "is_success", "issuccess"}
	statusMembers  = []string{"status", "state", "result", "outcome", "conclusion", "type"}
	codeMembers    = []string{"status", "status_code", "statuscode", "code", "http_status", "httpstatus", "http_code", "httpstatuscode", "response_code"}
	flagMembers    = []string{"iserror", "is_error", "has_error", "haserror", "failed", "timed_out", "timedout", "timeout", "aborted", "killed", "oom_killed", "oomkilled", "interrupted"}
	exitMembers    = []string{"exit_code", "exitcode", "exit_status", "exitstatus", "returncode", "return_code", "rc", "exit"}
	signalMembers  = []string{"signal", "term_signal", "termsignal", "exit_signal"}
	// outputMembers hold what a program printed.
	outputMembers = []string{"stdout", "stderr", "output", "result", "message", "msg", "body", "logs", "detail", "title", "reason"}
	levelMembers  = []string{"level", "severity", "loglevel", "log_level"}
	// wordMembers say in words what a code means.
	wordMembers = []string{"message", "msg", "error", "detail", "details", "reason", "description", "title", "status", "hint", "type", "path", "sqlstate"}

	typeMembers    = []string{"__type", "@type", "type", "exception_type", "exceptiontype", "code"}
	failedStatuses = []string{"error", "failed", "failure", "timeout", "denied", "unauthorized", "cancelled", "canceled", "timed_out", "timedout", "aborted", "rejected", "forbidden", "killed", "oomkilled", "evicted", "crashed", "errored", "not_found", "invalid_request_error"}
)

// objectFailure returns the sign of an error among the members of an object, as
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
		case slices.Contains(exitMembers, name) && isExitCode(value):
			return "has an exit code in " + quoteKey(key)
		case slices.Contains(signalMembers, name) && isSignal(value):
			return "has a signal in " + quoteKey(key)
		case slices.Contains(typeMembers, name) && namesError(value):
			return "has the type of an error in " + quoteKey(key)
		case slices.Contains(codeMembers, name) && isErrorCode(value) && (name != "code" || explained(object)):
			return "has an error code in " + quoteKey(key)
		case name == "code" && isExitCode(value) && (object["stderr"] != nil || object["stdout"] != nil):
			return "has an exit code in " + quoteKey(key)
		case name == "code" && isErrorWord(value) && explained(object):
			return "has an error code in " + quoteKey(key)
		case slices.Contains(levelMembers, name) && isWord(value, "error", "fatal", "critical", "panic", "severe") && explained(object):
			return "is a log's record of an error"
		}
	}
	return messageFailure(object)
}

// messageFailure returns the sign of an error in what an object says in words.
func messageFailure(object map[string]any) string {
	for _, key := range sortedKeys(object) {
		text, ok := object[key].(string)
		if !ok || !slices.Contains(outputMembers, strings.ToLower(key)) {
			continue
		}
		// A line that only looks like the beginning of an error may be what the
		// program was to print.
		if name := lineFailure(text, strings.ToLower(text), errorLines[1:]); name != "" {
			return "has the line of an error in " + quoteKey(key)
		}
		if len(object) <= fewMembers && textFailure(text) != "" {
			return "has nothing but a message of failure in " + quoteKey(key)
		}
	}
	if code, ok := object["code"]; ok && isCodeOfGRPC(code) && object["message"] != nil && object["details"] != nil {
		return "has the code and the details of an error of gRPC"
	}
	return ""
}

// explains reports whether an object says in words what went wrong.
func explains(object map[string]any) bool {
	for key := range object {
		name := strings.ToLower(key)
		if slices.Contains(errorMembers, name) || slices.Contains(outputMembers, name) && name != "result" {
			return true
		}
	}
	return false
}

// explained reports whether an object is about its code: it has nothing else, or says in
// words what the code means.
func explained(object map[string]any) bool {
	if len(object) == 1 {
		return true
	}
	for key := range object {
		if slices.Contains(wordMembers, strings.ToLower(key)) {
			return true
		}
	}
	return false
}

// errorWord is a code that names what went wrong.
var errorWord = regexp.MustCompile(`(?i)^[A-Z0-9_.:-]*(?:invalid|not_?found|no_?such|denied|forbidden|unauthori[sz]ed|unauthenticated|expired|missing|exceeded|conflict|unavailable|time_?out|throttl|unsupported|failed|failure|error)[A-Z0-9_.:-]*$|^(?:E[A-Z]{4,}|ER_[A-Z_]+|[A-Z]{3,}[_-]?\d{2,})$`)

// isErrorWord reports whether value is a code that names what went wrong, such as
// InvalidParameterValue or ENOENT.
func isErrorWord(value any) bool {
	text, ok := value.(string)
	return ok && errorWord.MatchString(text)
}

// fewMembers is how many members an object has at most that is no more than a
// message.
const fewMembers = 3

// isCodeOfGRPC reports whether value is one of the codes of failure, 1 to 16:
// https://grpc.io/docs/guides/status-codes/.
func isCodeOfGRPC(value any) bool {
	n, ok := value.(json.Number)
	if !ok {
		return false
	}
	code, err := strconv.Atoi(n.String())
	return err == nil && code >= 1 && code <= 16
}

// isExitCode reports whether value is what a program that failed exits with.
func isExitCode(value any) bool {
	n, ok := value.(json.Number)
	if text, isText := value.(string); isText {
		n, ok = json.Number(strings.TrimSpace(text)), true
	}
	code, err := strconv.ParseInt(n.String(), 10, 64)
	return ok && err == nil && code != 0
}

// isSignal reports whether value names a signal.
func isSignal(value any) bool {
	text, ok := value.(string)
	return ok && strings.HasPrefix(strings.ToUpper(text), "SIG")
}

// namesError reports whether value is the name of a type of error, such as
// ResourceNotFoundException.
func namesError(value any) bool {
	text, ok := value.(string)
	return ok && !strings.ContainsAny(text, " \n") && (strings.HasSuffix(text, "Exception") || strings.HasSuffix(text, "Error") || strings.HasSuffix(text, "Fault"))
}

// isSet reports whether a member says that there is something.
func isSet(value any) bool {
	switch v := value.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return strings.TrimSpace(v) != "" && !isWord(v, "none", "null", "false", "no", "0", "ok", "success", "n/a", "-")
	case json.Number:
		return jsontext.Decimal(v.String()) != "0"
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
func quoteKey(key string) string { return `"` + wording.Shorten(key) + `"` }
