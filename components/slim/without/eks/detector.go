// SPDX-License-Identifier: Apache-2.0

// Package eks detects nothing: it is linked in the place of the module whose path it has.
package eks

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/sdk/resource"
)

type detector struct{}

// NewResourceDetector returns a detector that says that there is none.
func NewResourceDetector() resource.Detector { return detector{} }

func (detector) Detect(context.Context) (*resource.Resource, error) {
	return nil, errors.New(`the detector "aws.eks" is not in the slim build: name the attributes under "service::telemetry::resource"`)
}
