// SPDX-License-Identifier: Apache-2.0

// Package hostext finds an extension of the host by the ID that a component's
// config names: the way in which the shells of the distribution meet without
// importing one another.
package hostext

import (
	"fmt"

	"go.opentelemetry.io/collector/component"
)

// Find returns the running extension with this ID as a T. The error names the
// ID as config.yaml spells it: no such extension runs, or it is not a T.
func Find[T any](host component.Host, id component.ID) (T, error) {
	var none T
	ext, ok := host.GetExtensions()[id]
	if !ok {
		return none, fmt.Errorf("extension %q is not listed under service::extensions", id)
	}
	found, ok := ext.(T)
	if !ok {
		return none, fmt.Errorf("extension %q does not provide what is needed here", id)
	}
	return found, nil
}
