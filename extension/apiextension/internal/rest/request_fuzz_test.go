// SPDX-License-Identifier: Apache-2.0

package rest_test

import (
	"encoding/hex"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// FuzzQueryPeriod reads a period off whatever stands behind the question mark of a URL.
func FuzzQueryPeriod(f *testing.F) {
	for _, s := range []string{
		"from_timestamp_sec=1&to_timestamp_sec=2", "from_timestamp_sec=", "from_timestamp_sec=9223372036854775807&to_timestamp_sec=9223372037",
		"from_timestamp_sec=-9223372036854775808", "from_timestamp_sec=%2B1", "from_timestamp_sec=1_0", "from_timestamp_sec=A SECRET", "to_timestamp_sec=0x1",
		"from_timestamp_sec=2&to_timestamp_sec=1&from_timestamp_sec=0", "%zz", "a;b", "",
	} {
		f.Add(s, int64(math.MaxInt64))
	}
	f.Fuzz(func(t *testing.T, raw string, end int64) {
		values, err := rest.Query(&http.Request{URL: &url.URL{RawQuery: raw}})
		if err != nil {
			requireRefused(t, err)
			return
		}
		p := rest.QueryPeriod(values)
		require.Equal(t, values.Has("from_timestamp_sec"), p.From != nil)
		from, to, err := p.Bounds(end)
		if err != nil {
			requireRefused(t, err)
			require.Contains(t, fault.Message(err), "_timestamp_sec")
			return
		}
		require.LessOrEqual(t, from, to)
		if p.To == nil {
			require.Equal(t, end, to)
		}
		for text, at := range map[string]int64{values.Get("from_timestamp_sec"): from, values.Get("to_timestamp_sec"): to} {
			n, err := strconv.ParseInt(text, 10, 64)
			switch {
			case text == "":
			case at == math.MaxInt64:
				require.Greater(t, n, math.MaxInt64/int64(time.Second))
			case at == math.MinInt64:
				require.Less(t, n, math.MinInt64/int64(time.Second))
			default:
				require.NoError(t, err)
				require.Equal(t, n, rest.WholeSeconds(at))
			}
		}
	})
}

// FuzzIDs asks for a span by whatever ids, as a client would send them.
func FuzzIDs(f *testing.F) {
	f.Add(strings.Repeat("aB", 16), "0123456789abcdef")
	f.Add("A SECRET", "..")
	f.Add("%61"+strings.Repeat("0", 31), "a/b")
	f.Fuzz(func(t *testing.T, trace, id string) {
		mux := http.NewServeMux()
		var key span.Key
		var err error
		served := false
		mux.HandleFunc("GET /spans/{trace_id}/{span_id}", func(_ http.ResponseWriter, r *http.Request) {
			key, err = rest.PathSpan(r)
			served = true
		})
		target := "/spans/" + url.PathEscape(trace) + "/" + url.PathEscape(id)
		mux.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, http.NoBody))
		switch {
		case !served:
			for _, name := range []string{trace, id} {
				if name == "" || name == "." || name == ".." || name == "/" { // no segments to routes
					return
				}
			}
			require.Fail(t, "not served", target)
		case err != nil:
			requireRefused(t, err)
		default:
			require.Equal(t, strings.ToLower(trace), hex.EncodeToString(key.TraceID[:]))
			require.Equal(t, strings.ToLower(id), hex.EncodeToString(key.SpanID[:]))
		}
	})
}

func requireRefused(t *testing.T, err error) {
	t.Helper()
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
	require.NotContains(t, fault.Message(err), "SECRET")
	require.Less(t, len(fault.Message(err)), 120)
}
