// SPDX-License-Identifier: Apache-2.0

// Package tables is what lies in the tables of one partition: the statements that
// make them, their columns, how spans, evaluations and messages become rows that
// are appended to them, and how rows are read back. It knows one file at a time,
// the one that the connection uses or that rows are opened for.
package tables
