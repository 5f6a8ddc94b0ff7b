// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

var update = flag.Bool("update", false, "write the OpenAPI document")

// document returns the OpenAPI document without the operations of evaluators.
func document(t testing.TB) []byte {
	t.Helper()
	text, err := newDocument(routesOf(t), &eval.Catalog{})
	require.NoError(t, err)
	var written bytes.Buffer
	require.NoError(t, json.Indent(&written, text, "", "  "))
	written.WriteByte('\n')
	return written.Bytes()
}

func TestDocumentIsTheOneThatIsKept(t *testing.T) {
	t.Parallel()
	made := document(t)
	if *update {
		require.NoError(t, os.WriteFile("openapi.json", made, 0o600))
	}
	kept, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	require.True(t, bytes.Equal(kept, made), "openapi.json is stale: go test ./extension/apiextension -run TestDocument -update")
}
