// SPDX-License-Identifier: Apache-2.0

package idnumber_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/evaluators/pii/idnumber"
	"github.com/touchstone-otel/touchstone/internal/evaluators/pii/idnumber/idnumbertest"
)

// Of numbers with one digit changed a check digit finds most, at least those
// that are changed by one.
func TestChecksFindChangedDigits(t *testing.T) {
	t.Parallel()
	formOnly := []string{"DE_ID_CARD", "DE_PASSPORT", "GB_NINO", "IN_PAN", "US_MBI"}
	for _, id := range idnumber.Kinds() {
		if slices.Contains(formOnly, id.Name) {
			continue
		}
		t.Run(id.Name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(3, 4))
			shape, _, _ := strings.Cut(id.Shapes, " ")
			number := idnumbertest.Sample(r, &id, shape)
			require.NotEmpty(t, number)
			changed, passed := 0, 0
			for i := range len(number) {
				for c := byte('0'); c <= '9' && number[i] <= '9'; c++ {
					if c != number[i] {
						changed++
						if id.Check(number[:i] + string(c) + number[i+1:]) {
							passed++
						}
					}
				}
			}
			require.Less(t, passed*4, changed, "%s: %d of %d", number, passed, changed)
		})
	}
}

// Numbers that authorities and handbooks print as samples.
func TestPublishedSamples(t *testing.T) {
	t.Parallel()
	checks := map[string]func(string) bool{}
	for _, id := range idnumber.Kinds() {
		checks[id.Name] = id.Check
	}
	for kind, number := range map[string]string{
		"AT_SVNR": "1237010180", "AU_ABN": "51824753556", "AU_TFN": "123456782", "BE_NN": "85073003328", "BG_EGN": "7523169263", "BR_CPF": "52998224725",
		"BR_CNPJ": "11222333000181", "CA_SIN": "193456787", "CL_RUT": "125319092", "CZ_RC": "7103192745", "DE_TAX_ID": "86095742719", "DE_ID_CARD": "T220001293", "DE_PASSPORT": "C01X00T478", "DE_PENSION_NUMBER": "15070649C103",
		"DK_CPR": "2110625629", "EC_CEDULA": "1714307103", "EE_IK": "37605030299", "ES_NIF": "12345678Z", "ES_NIE": "X1234567L", "FI_HETU": "131052308T", "FR_NIR": "255081416802538",
		"FR_SIREN": "732829320", "GR_AFM": "094259216", "GR_AMKA": "01013099997", "HK_HKID": "A1234563", "HR_OIB": "69435151530", "HU_ADOAZONOSITO": "8071592153", "IN_AADHAAR": "234123412346",
		"IS_KENNITALA": "1201743399", "IE_PPS": "1234567FA", "IMEI": "490154203237518", "JP_MY_NUMBER": "123456789018", "LEI": "5493001KJTIIGC8Y1R12", "LT_ASMENS_KODAS": "33309240064",
		"MX_CLABE": "032180000118359719", "NL_BSN": "111222333", "NO_FNR": "15108695088", "NZ_IRD": "49091850", "NZ_NHI": "CGC2720", "PE_RUC": "20512333797", "PL_PESEL": "44051401359", "PL_NIP": "1234563218",
		"PT_NIF": "501964843", "RO_CNP": "1630615123457", "RU_INN": "500100732259", "RU_SNILS": "11223344595", "SE_PERSONNUMMER": "8112189876", "SG_NRIC": "S1234567D", "SI_EMSO": "0101006500006",
		"TR_TCKN": "10000000146", "TW_ID": "A123456789", "UA_RNOKPP": "1759013776", "US_ABA_ROUTING": "021000021", "US_NPI": "1234567893", "UY_CI": "12345672", "ZA_ID": "8001015009087",
	} {
		require.True(t, checks[kind](number), "%s %s", kind, number)
	}
}
