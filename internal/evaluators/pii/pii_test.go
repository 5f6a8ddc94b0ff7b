// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// found returns the kinds that a text holds at the default threshold.
func found(text string) []string { return Found(text, 0.8, nil) }

// matches returns every text that a recognizer finds, whatever its score.
func matches(t *testing.T, entity, text string) []string {
	t.Helper()
	i := slices.IndexFunc(recognizers, func(r recognizer) bool { return r.entity == entity })
	require.GreaterOrEqual(t, i, 0)
	list := []string{}
	recognizers[i].find(newScan(text, 0), func(m match) bool {
		list = append(list, text[m.start:m.end])
		return true
	})
	return list
}

func TestWhatIsFound(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Contact john.smith@company.com for help.":             "EMAIL_ADDRESS",
		"Contact me at john.doe@example.com for more details.": "EMAIL_ADDRESS",
		"pay with 4111 1111 1111 1111 please":                  "CREDIT_CARD",
		"IBAN: GB82 WEST 1234 5698 7654 32.":                   "IBAN_CODE",
		"send it to 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa":        "CRYPTO",
		"my social security number is 123-45-6780":             "US_SSN",
		"123-45-6780 (her SSN)":                                "US_SSN",
		"the ITIN is 912-70-1234":                              "US_ITIN",
		"patient 943 476 5919 came in":                         "UK_NHS",
		"DEA AB1234563":                                        "MEDICAL_LICENSE",
		"client ip 203.0.113.9":                                "IP_ADDRESS",
		"hardware address 00:1A:2B:3C:4D:5E":                   "MAC_ADDRESS",
		"Call me: +49 30 1234567":                              "PHONE_NUMBER",
		"my mobile is (415) 555-0132":                          "PHONE_NUMBER",
		"\xff\xfeada@example.org\xff":                          "EMAIL_ADDRESS",
		"Scrivi a andrea@esempio.it, o telefono 06 6982 0000!": "EMAIL_ADDRESS PHONE_NUMBER",
		"two cards, 5555-5555-5555-4444 and 371449635398431":   "CREDIT_CARD",
		"de89370400440532013000 and 2001:db8::1 (host ip)":     "IBAN_CODE IP_ADDRESS",
	} {
		require.Equal(t, strings.Fields(want), found(text), text)
	}
}

func TestWhatIsNone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "\x00", "Hello, this is a simple message without any personal information.",
		"Welcome to our service! We hope you enjoy your experience.",
		"order 4111 1111 1111 1112", "the public 10.0.0.1 is documented", "version 1.2.3.4", "123-45-6780", "000-12-3456 is no ssn",
		"ssn 900-12-3456", "ssn 123-00-4567", "ssn 078-05-1120", "call me on 2024-05-06", "call at 12:30 or 17:45",
		"at sign @ alone", "@handle", "a@b", "x@localhost", "me@nosuchtld.zzzzz", "user@.com", "a..b@example.com", "name@co.uk",
		"GB82 WEST 1234 5698 7654 33", "ZZ82 WEST 1234", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdr",
		"std::vector", "12:34:56:78:9A", "id 1700000000", "415-555-0132", "DEA AB1234564", "isbn 978-3-16-148410-0",
		strings.Repeat("9", 10_000), strings.Repeat("1 ", 10_000), strings.Repeat("@", 10_000), strings.Repeat(":", 10_000),
	} {
		require.Empty(t, found(text), "%.60q", text)
	}
}

func TestMatches(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		entity, text string
		want         []string
	}{
		{"EMAIL_ADDRESS", "<Ada.L+x@mail.example.co.uk>, 'b@example.com'.", []string{"Ada.L+x@mail.example.co.uk", "b@example.com"}},
		{"EMAIL_ADDRESS", "jürgen@bücher.de a@xn--bcher-kva.de", []string{"jürgen@bücher.de", "a@xn--bcher-kva.de"}},
		{"EMAIL_ADDRESS", "https://x.example/?mail=bob.kestrel@example.org&to=a+b@example.com {user=c@example.org}", []string{"bob.kestrel@example.org", "a+b@example.com", "c@example.org"}},
		{"EMAIL_ADDRESS", "a|b@example.org {c@example.org} /d@example.org `e@example.org` =@example.org", []string{"b@example.org", "c@example.org", "d@example.org", "e@example.org"}},
		{"CREDIT_CARD", "4012888888881881 4012-8888-8888-1881 2223003122003222 6759649826438453", []string{"4012888888881881", "4012-8888-8888-1881", "2223003122003222", "6759649826438453"}},
		{"CREDIT_CARD", "x4012888888881881 4012888888881881x 4012_8888_8888_1881 9999999999999995", []string{}},
		{"IBAN_CODE", "FR14 2004 1010 0505 0001 3M02 606; NO93-8601-1117-947", []string{"FR14 2004 1010 0505 0001 3M02 606", "NO93-8601-1117-947"}},
		{"IBAN_CODE", "GBAA WEST 1234 5698 7654 32 GB82", []string{}},
		{"CRYPTO", "BC1QAR0SRRR7XFKVY5L643LYDNW9RE59GTZZWF5MDQ bc1QAR0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", []string{"BC1QAR0SRRR7XFKVY5L643LYDNW9RE59GTZZWF5MDQ"}},
		{"CRYPTO", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0 bc1qbio 1IIIIIIIIIIIIIIIIIIIIIIIIIIII", []string{"bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0"}},
		{"US_SSN", "123 45 6780 123.45.6780 123-45 6780 12345-6780 123-45-6789", []string{"123 45 6780", "123.45.6780", "12345-6780"}},
		{"US_PASSPORT", "A12345678 123456789 AB1234567", []string{"A12345678", "123456789"}},
		{"US_BANK_NUMBER", "1234567 12345678 123456789012345678", []string{"12345678"}},
		{"MAC_ADDRESS", "00-1a-2B-3c-4D-5e 0012.3456.789a 00:11:22:33:44:55:66 00:11-22:33:44:55", []string{"00-1a-2B-3c-4D-5e", "0012.3456.789a"}},
		{"IP_ADDRESS", "10.0.0.1:8080 [::1]:80 10.0.0.1/8 1.2.3 a1.2.3.4 1.2.3.4b 010.1.1.1", []string{"10.0.0.1", "::1", "10.0.0.1/8"}},
		{"PHONE_NUMBER", "(415) 555-0132, +44 (20) 7123 4567; 12-34 2024-05-06 1.2.3.4", []string{"(415) 555-0132", "+44 (20) 7123 4567"}},
	} {
		require.Equal(t, row.want, matches(t, row.entity, row.text), "%s in %q", row.entity, row.text)
	}
}

func TestContextIsWholeWordsNearby(t *testing.T) {
	t.Parallel()
	const number = "123-45-6780"
	for text, want := range map[string]bool{
		"ssn a b c d " + number:      true,
		"ssn a b c d e " + number:    false,
		number + " a ssn":            true,
		number + " a b ssn":          false,
		"SSNs: " + number:            true,
		"assn " + number:             false,
		"socially " + number:         false,
		"the social\tone\n" + number: true,
	} {
		require.Equal(t, want, len(found(text)) > 0, text)
	}
}

func FuzzFind(f *testing.F) {
	f.Add("call +1 (415) 555-0132, ada@example.com, GB82 WEST 1234 5698 7654 32, 2001:db8::1/32, 00:1A:2B:3C:4D:5E")
	f.Add("4012-8888-8888-1881 123-45-6780 \xff@\xff.de 1.1.1.1")
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range recognizers {
			r.find(newScan(text, 0), func(m match) bool {
				require.True(t, m.start >= 0 && m.start < m.end && m.end <= len(text), "%s: %v", r.entity, m)
				require.True(t, m.score > 0 && m.score <= 1)
				return true
			})
		}
	})
}
