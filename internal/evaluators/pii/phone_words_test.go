// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWordsThatSpeakOfAPhone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"my number is 415-555-2671", "My number's 4155552671", "my new number is (415) 555-2671", "My US number is 415 555 2672", "415-555-2671 is my number",
		"Meine Nummer ist 0176 12345678.", "Mon numéro : 06.12.34.56.78", "Mi número es 612 345 678", "Il mio numero è 347 123 4567", "O meu número é 912 345 678", "Nummer: 030 / 901820",
		"Ruf mich an: 030 / 901 820 44", "Bitte rufen Sie unter 040 1234567 zurück.", "call 4155552671", "please text 415-555-2671", "text me at 4155552671", "messages to 415-555-2671",
		"contact: 415-555-2671", "Joignable au 01.42.68.53.00", "call me on 01.84.17.61.18", "Call us: 415 - 555 - 2671", "0049 30 901820", "011 44 20 7946 0958", "Dial 0033 1 42 68 53 00.", "(415) 555-2671", "phone: 5552671", "Telefon 2345678",
	} {
		require.Equal(t, []string{"PHONE_NUMBER"}, found(text), text)
	}
	for _, text := range []string{
		"The text has 1234567890 characters", "The text is 4155552671", "Message id 4155552671", "Contact form version 2345678", "call stack depth 5551234567", "message 2025550143 was delivered",
		"system call 2345678 failed", "my order number is 415-555-2671", "the number 4155552671 is odd", "Bestellnummer 4155552671", "Numéro de commande : 4155552671", "mobile users: 2345678",
		"We met. Call it a day! 415-555-2671", "0034 612 items", "00 44 20", "0012345678901", "a contact list of 2345678", "at 01.42.68.53", "415-555-2671", "(1234) 555-2671",
	} {
		require.Empty(t, found(text), text)
	}
}
