// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"errors"
	"fmt"
	"testing"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// What a server refuses its user while it is used, and what a proxy answers whose server is
// away, passes when the operator mends it; neither names the user.
func TestErrorsThatOperatorsMend(t *testing.T) {
	t.Parallel()
	exception := func(code int32, message string) error {
		return fmt.Errorf("sendQuery: %w", &driver.HTTPError{StatusCode: 500, Err: &driver.Exception{Code: code, Message: "hidden: " + message}})
	}
	for says, err := range map[string]error{
		"ClickHouse cannot store rows: the server refuses the user or the password of the DSN: code 516": exception(516,
			"Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)"),
		"ClickHouse cannot store rows: the user of the DSN lacks the grant INSERT on its database: code 497": exception(497,
			"Not enough privileges. To execute this query, it's necessary to have the grant INSERT(env, bucket) ON hidden.spans. (ACCESS_DENIED)"),
		"ClickHouse cannot store rows: the user of the DSN lacks the grant ALTER DELETE on its database: code 497": exception(497,
			"Not enough privileges. To execute this query, it's necessary to have the grant ALTER DELETE ON hidden.spans. (ACCESS_DENIED)"),
		"ClickHouse cannot store rows: the user of the DSN lacks the grant SELECT on system.parts: code 497": exception(497,
			"Not enough privileges. To execute this query, it's necessary to have the grant SELECT(database, table) ON system.parts. (ACCESS_DENIED)"),
		"ClickHouse cannot store rows: the user of the DSN lacks a grant: code 497": exception(497, "Not enough privileges."),
		"ClickHouse cannot be reached to store rows: something else answers at the address of the DSN: [HTTP 502]": fmt.Errorf("sendQuery: %w",
			&driver.HTTPError{StatusCode: 502, Err: errors.New("response body: \"hidden\"")}),
	} {
		of := Of("store rows", err)
		require.EqualError(t, of, says)
		require.Equal(t, fault.Unavailable, fault.KindOf(of), says)
		require.NotContains(t, of.Error(), "hidden")
		require.NotContains(t, Refusal(of).Error(), "open the span store", "a sentence of its own at a start, too")
	}
}
