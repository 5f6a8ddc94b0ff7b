// SPDX-License-Identifier: Apache-2.0

package model

// Shorten is shorten.
var Shorten = shorten
