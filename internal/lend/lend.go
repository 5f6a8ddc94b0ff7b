// SPDX-License-Identifier: Apache-2.0

// Package lend finds, by the ID that a component's config names, the extension
// that lends it something: the way in which the shells of the distribution
// meet without importing one another.
package lend

import (
	"fmt"

	"go.opentelemetry.io/collector/component"
)

// Find gives the running extension with this ID as a T. The error names the
// ID as config.yaml spells it.
func Find[T any](host component.Host, id component.ID) (T, error) {
	var none T
	ext, ok := host.GetExtensions()[id]
	if !ok {
		return none, fmt.Errorf("extension %q is not listed under service::extensions", id)
	}
	lent, ok := ext.(T)
	if !ok {
		return none, fmt.Errorf("extension %q does not lend what is needed here", id)
	}
	return lent, nil
}
