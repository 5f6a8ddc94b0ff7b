// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKeyParts(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"user_ssn": "user ssn", "dateOfBirth": "date of birth", "IPAddress": "ip address", "userIPAddress2": "user ip address 2", "SSN": "ssn",
		"__x_": "x", "_": "", "phone2": "phone 2", "prénomUsuel": "prénom usuel", "NOM_DE_FAMILLE": "nom de famille",
	} {
		require.Equal(t, strings.Fields(want), append([]string{}, keyParts(key)...), key)
	}
}

func TestKeysOfRecordsAreContext(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"ssn_number": "536-22-8145"}`:                                  "US_SSN",
		`{"userSsn": "536-22-8145"}`:                                     "US_SSN",
		`{"social_security_number": "536-22-8145"}`:                      "US_SSN",
		`{"ssn": 536228145}`:                                             "US_SSN",
		`{"dateOfBirth": "1977-02-03"}`:                                  "DATE_OF_BIRTH",
		`{"birth_date": "1977-02-03"}`:                                   "DATE_OF_BIRTH",
		`{"IPAddress": "203.0.113.42"}`:                                  "IP_ADDRESS",
		`{"client_ip": "203.0.113.42"}`:                                  "IP_ADDRESS",
		`{"mac_address": "00:1B:44:11:3A:B7"}`:                           "MAC_ADDRESS",
		`{"phoneNumber": "4155552671"}`:                                  "PHONE_NUMBER",
		`{"home-phone": "415-555-2671"}`:                                 "PHONE_NUMBER",
		`contact_phone=4155552671&x=1`:                                   "PHONE_NUMBER",
		`<workPhone>415-555-2671</workPhone>`:                            "PHONE_NUMBER",
		`{"zip_code": "94107"}`:                                          "POSTCODE",
		`postalCode: "94107"`:                                            "POSTCODE",
		`{"full_name": "Hannah Fischer"}`:                                "PERSON",
		`{"customerName": "Hannah Fischer"}`:                             "PERSON",
		`{"account_holder": "Hannah Fischer"}`:                           "PERSON",
		`full_name=Hannah+Fischer&x=1`:                                   "PERSON",
		`<patient><firstName>Hannah</firstName></patient>`:               "PERSON",
		"| full name | Hannah Fischer |":                                 "PERSON",
		`{"account_number": "12345678901"}`:                              "US_BANK_NUMBER",
		"my bank account number is 12345678901":                          "US_BANK_NUMBER",
		`{"passportNo": "533380006"}`:                                    "US_PASSPORT",
		`{"driversLicenseNo": "F25592150094"}`:                           "US_DRIVER_LICENSE",
		`{"routing_number": "021000021"}`:                                "US_ABA_ROUTING",
		`{"nhsNumber": "943 476 5919"}`:                                  "UK_NHS",
		`{"tax_id": "86095742719"}`:                                      "DE_TAX_ID",
		`{"pesel_nr": "44051401359"}`:                                    "PL_PESEL",
		`{"customer_cpf": "52998224725"}`:                                "BR_CPF",
		"id,full_name,city\n1,Hannah Fischer,Bonn\n":                     "PERSON",
		"name;city\n\"Fischer; Hannah\";Bonn":                            "PERSON",
		"a,b,c,d,e,f,ssn\n1,2,3,4,5,6,7\n1,2,3,4,5,6,536-22-8145":        "US_SSN",
		"a\tb\tc\td\te\tf\tcpf\n1\t2\t3\t4\t5\t6\t529.982.247-25":        "BR_CPF",
		"| x | Phone | y |\n|---|---|---|\n| a | 415 555 2671 | b c d |": "PHONE_NUMBER",
	} {
		require.Contains(t, found(text), want, text)
	}
	for _, text := range []string{
		`{"order_number": "536228145"}`, `{"file_name": "Hannah"}`, `{"product_name": "Hannah"}`, `{"className": "Hannah"}`, `{"run_id": "12345672"}`,
		`{"client_version": "1.2.3.4"}`, `{"phone_id": 4155552671}`, `{"zip_ratio": 12345}`, `{"callbackId": 4155552671}`, `{"contact_form": 4155552671}`,
		`{"name": "get_weather"}`, `{"unique_id": "1955839661"}`, `{"account_id": "12345678901"}`, `{"host": "Alexander"}`, "name, then a comma\nHannah went home\n",
		"id,product_name\n1,Hannah\n", "passport control took 533380006 ns", "a ssn, or 536228145 of them", "a tale:\n| Name |\n| Hannah |", "a,b\n1,2\n\n1,Hannah",
		strings.Repeat("name,", 3000) + "\nHannah", strings.Repeat("_", 3000) + strings.Repeat("aB1", 3000),
	} {
		require.Empty(t, found(text), "%.60s", text)
	}
}
