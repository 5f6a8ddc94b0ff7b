// SPDX-License-Identifier: Apache-2.0

package keyauthextension

import (
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

const (
	header = "authorization"
	scheme = "bearer"
	// maxCredential bounds what is hashed for an unknown caller.
	maxCredential = 4 << 10
)

// credential returns the one Bearer credential of a request. Header names and
// the scheme may be in any case. Several values are refused: two readers of
// one request might choose differently.
func credential(sources map[string][]string) (string, bool) {
	var value string
	count := 0
	for name, values := range sources {
		if len(name) == len(header) && strings.EqualFold(name, header) {
			for _, v := range values {
				value = v
				count++
			}
		}
	}
	if count != 1 || len(value) > len(scheme)+1+maxCredential {
		return "", false
	}
	if len(value) <= len(scheme) || !strings.EqualFold(value[:len(scheme)], scheme) || value[len(scheme)] != ' ' {
		return "", false
	}
	offered := strings.Trim(value[len(scheme):], " ")
	return offered, offered != ""
}

// refusal is an answer that gRPC servers and our own API understand.
type refusal struct {
	code  codes.Code
	fault error
}

var (
	// errUnauthorized is the one answer to everyone without a valid credential.
	errUnauthorized error = &refusal{codes.Unauthenticated, fault.New(fault.Unauthorized, "Unauthorized")}
	// errUnavailable is the answer where the keys cannot be read, so that it is unknown
	// whether the credential is valid. The caller may retry.
	errUnavailable error = &refusal{codes.Unavailable, fault.New(fault.Unavailable, "Keys cannot be looked up just now: try again")}
)

func (r *refusal) Error() string { return fault.Message(r.fault) }

// GRPCStatus makes gRPC servers answer with its code.
func (r *refusal) GRPCStatus() *status.Status { return status.New(r.code, r.Error()) }

// Unwrap returns the same in our words.
func (r *refusal) Unwrap() error { return r.fault }
