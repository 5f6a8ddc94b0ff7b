// SPDX-License-Identifier: Apache-2.0

// Command release writes what a release has besides its programs: a bill of materials
// of a binary, the licences of all that is linked into it, and notes on the version.
// It fails where something is linked whose licence is unknown or not allowed.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// What is written.
const (
	billSuffix   = ".cdx.json" // after the program's name
	licencesFile = "THIRD_PARTY_LICENSES.txt"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	set := flag.NewFlagSet("release", flag.ContinueOnError)
	binary := set.String("binary", "", "the `program` of which a bill of materials and the licences are written")
	name := set.String("name", "touchstone", "the `name` of the program")
	version := set.String("version", "", "the version, such as 0.2.0")
	dir := set.String("out", ".", "the `directory` that they are written to")
	changelog := set.String("notes", "", "the changelog of which the section of the version is printed")
	if err := set.Parse(args); err != nil {
		return err
	}
	if *version == "" {
		return fmt.Errorf("-version is missing")
	}
	if *changelog != "" {
		text, err := os.ReadFile(*changelog)
		if err != nil {
			return err
		}
		section, err := notes(string(text), *version)
		if err != nil {
			return fmt.Errorf("%s: %w", *changelog, err)
		}
		_, err = fmt.Fprintln(out, section)
		return err
	}
	if *binary == "" {
		return fmt.Errorf("-binary or -notes is missing")
	}
	return describe(ctx, program{*name, *version, *binary}, *dir)
}

// program is what is released: its name, its version, and the file that it is in.
type program struct{ name, version, file string }

// describe writes the bill of materials and the licences of a program.
func describe(ctx context.Context, p program, dir string) error {
	parts, err := linked(ctx, p.file)
	if err != nil {
		return err
	}
	if err := judge(parts); err != nil {
		return err
	}
	bill, err := billOf(p, parts)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // it is for everybody
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, p.name+billSuffix), bill, 0o644); err != nil { //nolint:gosec // so is this
		return err
	}
	return os.WriteFile(filepath.Join(dir, licencesFile), []byte(report(parts)), 0o644) //nolint:gosec // and this
}
