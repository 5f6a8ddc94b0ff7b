// SPDX-License-Identifier: Apache-2.0

package fault

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"syscall"
)

// Unreachable says why the server that a DSN names is not reached, where the error of a
// client is one of the network's, and what remains of it without the address, the user and
// the database. Otherwise why is "".
func Unreachable(err error) (why string, opaque error) {
	var dns *net.DNSError
	var errno syscall.Errno
	var unknown x509.UnknownAuthorityError
	var hostname x509.HostnameError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &dns):
		return "the host name of the DSN is not known", errors.New("no such host")
	case errors.As(err, &errno):
		return "no server answers at the address of the DSN", errno
	case errors.As(err, &unknown), errors.As(err, &hostname), errors.As(err, &certificate):
		return "the certificate of the server cannot be verified", errors.New("TLS")
	}
	return "", nil
}
