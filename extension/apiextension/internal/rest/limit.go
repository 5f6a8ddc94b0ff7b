// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"net/url"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// QueryLimit returns the parameter limit of a URL, or otherwise where it is left out.
// It must be a whole number from least to most.
func QueryLimit(values url.Values, otherwise, least, most int) (int, error) {
	if !values.Has("limit") {
		return otherwise, nil
	}
	n, err := strconv.Atoi(values.Get("limit"))
	if err != nil || n < least || n > most {
		return 0, fault.New(fault.Invalid, "limit must be a whole number from %d to %d", least, most)
	}
	return n, nil
}
