// SPDX-License-Identifier: Apache-2.0

package clickhousetest

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Answering returns the DSN of a server that has no data and answers like one of
// ClickHouse of a version. It refuses a statement with the exception that refuse
// returns for it, "" for none: for what the engine of tests is never asked to do.
func Answering(t testing.TB, version string, refuse func(statement string) string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		statement, err := all(dataOf(r))
		if text := r.URL.Query().Get("query"); text != "" {
			statement = []byte(text)
		}
		if why := refuse(string(statement)); why != "" {
			err = errors.New(why)
		}
		var answer []byte
		if err == nil && string(statement) == helloQuery {
			answer, err = hello(version)
		}
		if err == nil && r.URL.Query().Get("compress") == "1" {
			answer, err = compressed(answer)
		}
		if err != nil {
			fail(w, err)
			return
		}
		_, _ = w.Write(answer)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/spans"
}
