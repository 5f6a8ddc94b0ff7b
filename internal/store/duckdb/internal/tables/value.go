// SPDX-License-Identifier: Apache-2.0

package tables

import "strconv"

// kindOf returns the letter of an output's type; what is none of the four is
// kept as its text.
func kindOf(value any) byte {
	switch value.(type) {
	case bool:
		return 'b'
	case int64:
		return 'i'
	case float64:
		return 'f'
	}
	return 's'
}

// ParseOutput puts the text of an output back into its type.
func ParseOutput(kinds string, i int, text string) any {
	if i >= len(kinds) {
		return text
	}
	var v any
	var err error
	switch kinds[i] {
	case 'b':
		v, err = strconv.ParseBool(text)
	case 'i':
		v, err = strconv.ParseInt(text, 10, 64)
	case 'f':
		v, err = strconv.ParseFloat(text, 64)
	default:
		return text
	}
	if err != nil {
		return text
	}
	return v
}
