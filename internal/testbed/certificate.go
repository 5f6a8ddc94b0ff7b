// SPDX-License-Identifier: Apache-2.0

package testbed

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
)

// Certificate writes the certificate of a server and its key to files in a directory,
// and returns their names and what clients are to know of it.
func Certificate(dir string) (certFile, keyFile string, client *tls.Config, err error) {
	issued := httptest.NewUnstartedServer(nil)
	issued.StartTLS()
	defer issued.Close()
	certificate := issued.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	if err != nil {
		return "", "", nil, err
	}
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	err = errors.Join(
		os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]}), 0o600),
		os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), 0o600),
	)
	roots := issued.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	return certFile, keyFile, &tls.Config{RootCAs: roots, ServerName: "example.com"}, err
}
