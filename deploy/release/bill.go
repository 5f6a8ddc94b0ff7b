// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"os"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/uuid"
)

// billOf returns the bill of materials of a program, as CycloneDX 1.6 in JSON:
// https://cyclonedx.org/docs/1.6/json/. One and the same program has one and the same
// bill: its serial number is made of the program's digest, and it says no time.
func billOf(binary, version string, parts []part) ([]byte, error) {
	program, err := os.ReadFile(binary) //nolint:gosec // the one that is asked for
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(program)
	digest := hex.EncodeToString(sum[:])
	const self = "touchstone"
	bill := cdx.NewBOM()
	bill.SerialNumber = uuid.NewSHA1(uuid.NameSpaceOID, []byte(digest)).URN()
	bill.Metadata = &cdx.Metadata{Component: &cdx.Component{
		BOMRef: self, Type: cdx.ComponentTypeApplication, Name: self, Version: version,
		Hashes:   &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: digest}},
		Licenses: expression([]string{"Apache-2.0"}),
	}}
	components := make([]cdx.Component, len(parts))
	needs := map[string][]string{}
	for i, p := range parts {
		c := cdx.Component{
			BOMRef: refOf(p), Type: cdx.ComponentTypeLibrary, Name: p.Name, Version: p.Version, Licenses: expression(p.Licences),
		}
		if p.Within == "" {
			c.PackageURL = refOf(p)
			needs[self] = append(needs[self], refOf(p))
		} else {
			whole := refOf(part{Name: p.Within, Version: p.Version})
			needs[whole] = append(needs[whole], refOf(p))
		}
		components[i] = c
	}
	bill.Components = &components
	var dependencies []cdx.Dependency
	for _, ref := range append([]string{self}, refsOf(parts)...) {
		if list := needs[ref]; list != nil {
			dependencies = append(dependencies, cdx.Dependency{Ref: ref, Dependencies: &list})
		}
	}
	bill.Dependencies = &dependencies
	var out bytes.Buffer
	e := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON)
	e.SetPretty(true)
	err = e.EncodeVersion(bill, cdx.SpecVersion1_6)
	return out.Bytes(), err
}

// refOf returns the package URL of a module, and a name of its own for what is within
// one: https://github.com/package-url/purl-spec
func refOf(p part) string {
	if p.Within != "" {
		return p.Within + "#" + p.Name
	}
	return "pkg:golang/" + p.Name + "@" + strings.ReplaceAll(url.QueryEscape(p.Version), "+", "%20")
}

func refsOf(parts []part) []string {
	refs := make([]string, len(parts))
	for i, p := range parts {
		refs[i] = refOf(p)
	}
	return refs
}

func expression(licences []string) *cdx.Licenses {
	return &cdx.Licenses{{Expression: strings.Join(licences, " AND ")}}
}
