// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"net/url"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// QueryInt returns a parameter of a URL that is a whole number from least to most, or
// otherwise where it is left out.
func QueryInt(values url.Values, name string, otherwise, least, most int) (int, error) {
	if !values.Has(name) {
		return otherwise, nil
	}
	n, err := strconv.Atoi(values.Get(name))
	if err != nil || n < least || n > most {
		return 0, fault.New(fault.Invalid, "%s must be a whole number from %d to %d", name, least, most)
	}
	return n, nil
}
