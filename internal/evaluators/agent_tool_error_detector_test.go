// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/evaluators/toolfailure"
)

func TestToolFailures(t *testing.T) {
	t.Parallel()
	for _, output := range []string{
		``, "  \n", `null`, `None`,
		`{"error": "no such city"}`, `{"Error": {"code": 7}}`, `{"errors": [1]}`, `{"exception": true}`, `{"traceback": "x"}`,
		`{"stack_trace": "at f"}`, `{"fault": 3}`, `{"success": false}`, `{"ok": "False"}`, `{"isError": true, "content": []}`, `{"is_error": true}`,
		`{"status": "error"}`, `{"state": " FAILED "}`, `{"status": "timeout"}`, `{"status": 404}`, `{"status_code": 500}`, `{"code": "503"}`, `{"statusCode": 429}`,
		`{"result": {"error": "x"}}`, `{'error': 'python says so'}`,
		`Error: no such file`, "reading\nValueError: bad literal", `java.lang.NullPointerException: x`, `Exception in thread "main"`,
		"Traceback (most recent call last):\n  File", "goroutine\npanic: runtime error", `"Error: quoted"`, `fatal: not a git repository`,
		`HTTP 404 Not Found`, `HTTP/1.1 503`, `Request failed with HTTP 500`, `bash: /root: Permission denied`, `The request timed out.`, `File not found`,
	} {
		require.NotEmpty(t, toolfailure.Of("{}", output), "%q", output)
	}
	for _, input := range []string{`{"a": `, `city`, `{"a": 1} x`} {
		require.Equal(t, "The tool input is not valid JSON.", toolfailure.Of(input, "ok"), "%q", input)
	}
}

func TestToolSuccesses(t *testing.T) {
	t.Parallel()
	for _, output := range []string{
		`{"results": []}`, `[]`, `{}`, `""x`, `0`, `false`, `{"error": null}`, `{"error": ""}`, `{"errors": []}`, `{"error": "None"}`, `{"fault": 0.0}`, `{"error": {}}`,
		`{"exception": false}`, `{"success": true}`, `{"status": "ok"}`, `{"status": 200}`, `{"code": 4040}`, `{"code": 404.5}`, `{"state": "running"}`,
		`{"a": {"b": {"error": "two levels down"}}}`, `[{"status": "failed"}]`, `{"jobs": [{"status": "failed"}]}`,
		`The trial had no errors: everything passed`, `21 degrees`, `An error-free run`, `exceptional weather`,
		`{"text": "Error: in a document"}`, "A long report. " + strings.Repeat("x ", 200) + "One page was not found by the crawler, and HTTP 404 is explained.",
	} {
		require.Empty(t, toolfailure.Of("", output), "%q", output)
	}
	require.Empty(t, toolfailure.Of(`{'city': 'Paris', 'n': None}`, "ok"))
	require.Empty(t, toolfailure.Of(`"text"`, "ok"))
}

func TestToolFailureReasonsHoldNoValues(t *testing.T) {
	t.Parallel()
	require.NotContains(t, toolfailure.Of("{}", `{"error": "ada@example.com is unknown"}`), "ada")
	require.NotContains(t, toolfailure.Of("{}", `Error: ada@example.com is unknown`), "ada")
	long := strings.Repeat("k", 500)
	require.Less(t, len(toolfailure.Of("{}", `{"`+long+`": {"error": 1}}`)), 200)
}
