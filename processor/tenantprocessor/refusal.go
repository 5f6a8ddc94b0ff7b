// SPDX-License-Identifier: Apache-2.0

package tenantprocessor

import (
	"context"

	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// callerOf returns who sent what ctx belongs to, the holder of a key of an environment.
// Only an authenticator can put a Principal there; nothing a client sends can.
func callerOf(ctx context.Context) (*tenant.Principal, error) {
	caller, ok := client.FromContext(ctx).Auth.(*tenant.Principal)
	switch {
	case !ok || caller == nil:
		// The operator's mistake rather than the caller's: no authenticator, or a
		// component before this one that forgets who called, such as a batch.
		return nil, refusal("no authenticated environment came with this data")
	case caller.Operator || caller.Environment.ID == "":
		return nil, refusal("data is taken with the API key of an environment, not with the access token")
	}
	if err := caller.Check(tenant.Ingesting); err != nil {
		return nil, refusal(fault.Message(err))
	}
	return caller, nil
}

// refusal is final: PermissionDenied to gRPC clients, 403 to HTTP clients,
// permanent to the components in between.
type refusal string

func (r refusal) Error() string { return string(r) }

// GRPCStatus makes receivers answer with this status instead of one that
// clients would retry.
func (r refusal) GRPCStatus() *status.Status { return status.New(codes.PermissionDenied, string(r)) }

// Unwrap returns the same refusal in the words of the collector and of ours.
func (r refusal) Unwrap() []error {
	return []error{fault.New(fault.Forbidden, "%s", string(r)), consumererror.NewPermanent(errRefused)}
}

var errRefused = fault.New(fault.Forbidden, "refused")
