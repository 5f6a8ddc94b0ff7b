// SPDX-License-Identifier: Apache-2.0

//go:build unix && !linux

package duckdb

import "errors"

func mountSmall(string) (func() error, error) { return nil, errors.New("only on linux") }
