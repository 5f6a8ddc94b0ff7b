// SPDX-License-Identifier: Apache-2.0

package model

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"

	"github.com/touchstone-otel/touchstone/internal/outbound"
)

// errForbidden is the cause when a server's address is one that nothing may be
// sent to.
var errForbidden = errors.New("nothing is sent to link-local addresses and metadata services unless allow_link_local is set")

// Harden makes a transport for requests to model servers of one that is not in
// use yet, see outbound.Harden. It refuses to connect to link-local addresses and
// metadata services, unless linkLocal allows them.
func Harden(t *http.Transport, proxy, linkLocal bool) {
	outbound.Harden(t, proxy, func(to netip.AddrPort) error {
		if !linkLocal && (!to.IsValid() || outbound.IsLinkLocal(to.Addr())) {
			return fmt.Errorf("connect to %s: %w", to, errForbidden)
		}
		return nil
	})
}
