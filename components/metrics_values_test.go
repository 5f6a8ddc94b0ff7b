// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"net/http"
	"regexp"
	"strconv"
	"testing"
)

// numbers are the sums of series of these metrics, 0 where there is none. It may be
// called from any goroutine.
func (h *collector) numbers(t *testing.T, names ...string) []float64 {
	t.Helper()
	values := make([]float64, len(names))
	resp, err := http.Get("http://127.0.0.1:" + h.Env["TOUCHSTONE_METRICS_PORT"] + "/metrics")
	if err != nil {
		t.Error(err)
		return values
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
		return values
	}
	for i, name := range names {
		for _, m := range regexp.MustCompile(`(?m)^`+name+`(?:\{.*\})? (\S+)$`).FindAllSubmatch(body, -1) {
			x, err := strconv.ParseFloat(string(m[1]), 64)
			if err != nil {
				t.Error(err)
			}
			values[i] += x
		}
	}
	return values
}
