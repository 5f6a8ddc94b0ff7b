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
func billOf(p program, parts []part) ([]byte, error) {
	content, err := os.ReadFile(p.file)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	digest := hex.EncodeToString(sum[:])
	bill := cdx.NewBOM()
	bill.SerialNumber = uuid.NewSHA1(uuid.NameSpaceOID, []byte(digest)).URN()
	bill.Metadata = &cdx.Metadata{Component: &cdx.Component{
		BOMRef: p.name, Type: cdx.ComponentTypeApplication, Name: p.name, Version: p.version,
		Hashes:   &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: digest}},
		Licenses: expression([]string{"Apache-2.0"}),
	}}
	components := make([]cdx.Component, len(parts))
	needs := map[string][]string{}
	for i, x := range parts {
		c := cdx.Component{
			BOMRef: refOf(x), Type: cdx.ComponentTypeLibrary, Name: x.Name, Version: x.Version, Licenses: expression(x.Licences),
		}
		if x.Within == "" {
			c.PackageURL = refOf(x)
			needs[p.name] = append(needs[p.name], refOf(x))
		} else {
			whole := refOf(part{Name: x.Within, Version: x.Version})
			needs[whole] = append(needs[whole], refOf(x))
		}
		components[i] = c
	}
	bill.Components = &components
	var dependencies []cdx.Dependency
	for _, ref := range append([]string{p.name}, refsOf(parts)...) {
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
