// SPDX-License-Identifier: Apache-2.0

// Package faults says what errors of the driver mean to callers and operators.
package faults

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// passing are the codes of what passes: the same call may succeed later.
// https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp
var passing = []int32{
	74, 75, 76, // files cannot be read, written, opened
	159,      // it took too long
	160,      // it would take too long
	202, 203, // too many queries
	209, 210, // network
	236,           // aborted
	241,           // memory
	242,           // a table is read-only
	243,           // no space
	252,           // too many parts
	279,           // no server of a shard
	285, 286, 289, // replicas
	319, // it is unknown whether an insert arrived
	394, // cancelled
	439, // no thread
	999, // Keeper
}

// Of returns an error as callers may see it. What the server says may have parts
// of a statement, so it is a cause, for operators.
func Of(doing string, err error) error {
	var exception *driver.Exception
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: %w", doing, err)
	case errors.As(err, &exception):
		if why := denied(exception.Code, exception.Message); why != "" { // until the operator mends it
			return fault.Wrap(fault.Unavailable, exceptionNumber(exception.Code), "ClickHouse cannot %s: %s", doing, why)
		}
		if slices.Contains(passing, exception.Code) {
			return fault.Wrap(fault.Unavailable, err, "ClickHouse cannot %s now", doing)
		}
	case lost(err):
		why, opaque := unreachable(err)
		return fault.Wrap(fault.Unavailable, opaque, "ClickHouse cannot be reached to %s: %s", doing, why)
	case httpStatus.MatchString(err.Error()): // as of a proxy whose server is away
		return fault.Wrap(fault.Unavailable, errors.New(httpStatus.FindString(err.Error())), "ClickHouse cannot be reached to %s: something else answers at the address of the DSN", doing)
	}
	return fmt.Errorf("ClickHouse, %s: %w", doing, err)
}

// Denied reports whether an error that Of returned says that the user lacks a grant.
func Denied(err error) bool {
	var code exceptionNumber
	return errors.As(err, &code) && code == accessDenied
}

// accessDenied is the code of an exception about a grant that the user lacks.
const accessDenied = 497

// lackedGrant finds in the text of an exception which grant a user lacks.
var lackedGrant = regexp.MustCompile(`grant ([A-Z][A-Z ,]*?)(?:\([^)]*\))? ON (system\.\w+)?`)

// denied says in what way a server refuses the user of the DSN, "" if it does not. The text
// of such an exception begins with the name of the user, which is for no one to read.
func denied(code int32, message string) string {
	switch code {
	case 192, 193, 516:
		return "the server refuses the user or the password of the DSN"
	case accessDenied:
		found := lackedGrant.FindStringSubmatch(message)
		switch {
		case found == nil:
			return "the user of the DSN lacks a grant"
		case found[2] != "":
			return "the user of the DSN lacks the grant " + found[1] + " on " + found[2]
		}
		return "the user of the DSN lacks the grant " + found[1] + " on its database"
	}
	return ""
}

// exceptionNumber is what remains of an exception without its text.
type exceptionNumber int32

// Error returns the code.
func (n exceptionNumber) Error() string { return fmt.Sprintf("code %d", int32(n)) }

// lost reports whether a connection was not made, or ended.
func lost(err error) bool {
	var network net.Error
	var noTLS tls.RecordHeaderError
	return errors.As(err, &network) || errors.As(err, &noTLS) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, driver.ErrAcquireConnTimeout)
}

// unreachable says why, and what remains of the error without the address and the user
// of the DSN.
func unreachable(err error) (why string, opaque error) {
	if why, opaque := fault.Unreachable(err); why != "" {
		return why, opaque
	}
	var timeout net.Error
	var noTLS tls.RecordHeaderError
	switch {
	case errors.Is(err, driver.ErrAcquireConnTimeout):
		return "all connections are in use", driver.ErrAcquireConnTimeout
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &noTLS):
		return "the server offers no TLS, which the DSN asks for", errors.New("TLS")
	case errors.As(err, &timeout) && timeout.Timeout():
		return "the server does not answer in time", errors.New("timeout")
	}
	return "the connection was lost", errLost
}

var errLost = errors.New("connection lost")

// httpStatus and exceptionCode find in an error of the client what an HTTP server
// answered: old servers of ClickHouse tell the code of an exception in its text alone.
var (
	httpStatus    = regexp.MustCompile(`\[HTTP [0-9]+\]`)
	exceptionCode = regexp.MustCompile(`Code: ([0-9]+), e\.displayText`)
)

// exceptionOf returns the code of an exception, 0 if err is none, and its text.
func exceptionOf(err error) (code int32, message string) {
	var exception *driver.Exception
	if errors.As(err, &exception) {
		return exception.Code, exception.Message
	}
	if found := exceptionCode.FindStringSubmatch(err.Error()); found != nil {
		n, _ := strconv.ParseInt(found[1], 10, 32) // 0 is no exception
		return int32(n), err.Error()
	}
	return 0, ""
}

// Refusal returns why a store cannot be opened, in a sentence for who wrote the DSN.
func Refusal(err error) error {
	number, message := exceptionOf(err)
	switch {
	case number == 0 && lost(err):
		why, opaque := unreachable(err)
		if errors.Is(opaque, errLost) {
			why = "the server ended the connection: its port may be that of another protocol than the scheme of the DSN says (http, https or clickhouse)"
		}
		return fault.Wrap(fault.Unavailable, opaque, "%s", why)
	case number == 0 && strings.HasPrefix(err.Error(), "[handshake] unexpected packet"):
		return fault.New(fault.Unavailable, "what answers at the address of the DSN is not the native protocol of ClickHouse: the DSN of its HTTP interface begins with http or https")
	case number == 0 && httpStatus.MatchString(err.Error()):
		return fault.New(fault.Unavailable, "what answers at the address of the DSN is not the HTTP interface of ClickHouse")
	}
	code := exceptionNumber(number)
	if why := denied(number, message); why != "" {
		return fault.Wrap(fault.Invalid, code, "%s", why)
	}
	switch number {
	case 81:
		return fault.Wrap(fault.Invalid, code, "the database of the DSN is not there: make it before the first start")
	case 46, 115: // it knows neither the functions nor the settings that its client needs
		return tooOld("an old one")
	case 701:
		return fault.Wrap(fault.Invalid, code, "the server knows no cluster of the name that is configured")
	case 392, 139:
		return fault.Wrap(fault.Invalid, code, "the server has no Keeper, without which there is no cluster")
	}
	if fault.Is(err, fault.Unavailable) { // Of has said what it is
		return err
	}
	return Of("open the span store", err)
}

// oldestMajor and oldestMinor are the oldest version that the store works with.
const oldestMajor, oldestMinor = 26, 3

// CheckVersion returns the error of a server that is too old.
func CheckVersion(major, minor uint64) error {
	if major < oldestMajor || major == oldestMajor && minor < oldestMinor {
		return tooOld(fmt.Sprintf("ClickHouse %d.%d", major, minor))
	}
	return nil
}

// tooOld returns the error of a server that is that.
func tooOld(server string) error {
	return fault.New(fault.Invalid, "the server is %s, and ClickHouse %d.%d or newer is needed", server, oldestMajor, oldestMinor)
}
