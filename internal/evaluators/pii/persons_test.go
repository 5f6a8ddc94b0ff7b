// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// score returns the highest score of a kind in a text, 0 if there is none.
func score(kind, text string) float64 {
	best := 0.0
	Find(text, 0, map[string]bool{kind: true}, func(m Match) bool {
		best = max(best, m.Score)
		return true
	})
	return best
}

func TestNamesByHowSureTheyAre(t *testing.T) {
	t.Parallel()
	list, err := knownNames()
	require.NoError(t, err)
	require.Greater(t, len(list.lines), 50_000)
	require.Equal(t, nameKind{given: true, family: true}, list.find("martin"))
	require.Equal(t, nameKind{}, list.find("martinx"))
	require.Equal(t, nameKind{}, list.find(""))
	require.Equal(t, nameKind{}, list.find("\U0010ffff"))
	for text, want := range map[string]float64{
		"My name is Zorblat.":                            introducedName,
		"My name is zorblat.":                            0,
		"my name is katarzyna":                           introducedName,
		"please ask dr. katarzyna nowak":                 introducedName,
		"his name is katarzyna":                          0,
		"Her maiden name is Oduya":                       introducedName,
		"Please ask Dr. Henrike Okonkwo-Meyer.":          introducedName,
		"Name: Ferdi Quux\nPhone: none":                  introducedName,
		"Product name: Galaxy":                           0,
		"What's your last name? Brubeck":                 introducedName,
		"Bot: What's the name on the account? User: Wug": introducedName,
		"Hi Katarzyna, how are you?":                     introducedName,
		"Hi World, how are you?":                         0,
		"Ich heiße Grzegorz.":                            introducedName,
		"me llamo Ximena":                                introducedName,
		"Bonjour, je m'appelle Thibault.":                introducedName,
		"Please speak to Svetlana.":                      introducedName,
		"this is Ludwig van Beethoven":                   introducedName,
		"Katarzyna, can you help me?":                    introducedName,
		"Katarzyna's daughter called":                    introducedName,
		"> Katarzyna Nowak\n> 12 Elm Street":             lineName,
		"it was Katarzyna Nowak who won":                 fullName,
		"it was Katarzyna Zorblat who won":               likelyName,
		"it was Katarzyna who won":                       singleName,
		"His name is Paul, he said":                      singleName,
		"The claim of Mrs. Zorblat was settled":          introducedName,
		"a tale in which Mrs. Zorblat was settled":       0,
		"\"I will come,\" says Zorblat.":                 introducedName,
		"The paper says Zorblat.":                        0,
		"Katarzyna is from Lodz":                         introducedName,
		"Katarzyna works for us":                         introducedName,
		"In the novel Katarzyna lives in Lodz":           singleName,
		"it was Kevin Zorblat who won":                   likelyName,
		"it was Anna Peter who won":                      fullName,
	} {
		require.InDelta(t, want, score("PERSON", text), 1e-9, text)
	}
}

func TestNamesWithoutCapitalsAreIntroduced(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"你好，我叫王小明，今年在北京工作。":     "王小明",
		"姓名：李娜 电话：待补":           "李娜",
		"我的名字是张伟。":              "张伟",
		"私の名前は田中太郎です。":          "田中太郎",
		"はじめまして、佐藤と申します。":       "佐藤",
		"氏名：山田 花子":              "山田 花子",
		"안녕하세요, 제 이름은 김철수입니다.":  "김철수",
		"성명: 박지민":               "박지민",
		"我叫他明天来。":               "",
		"我叫了一辆出租车。":             "",
		"名前は何ですか。":              "",
		"この商品の名前は林檎です。":         "",
		"氏名を入力してください。":          "",
		"이름을 입력하세요.":            "",
		"文件的名字是 report，姓名栏请留空。": "",
	} {
		found := ""
		Find(text, 0.8, map[string]bool{"PERSON": true}, func(m Match) bool {
			found += text[m.Start:m.End]
			return true
		})
		require.Equal(t, want, found, text)
	}
}

func TestStreetsNumbersAndDays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Meet me at 17 Upper Mill Lane, please":        "ADDRESS",
		"Lange Straße 12b, Berlin":                     "ADDRESS",
		"Hauptstr. 5":                                  "ADDRESS",
		"12 rue de la Paix":                            "ADDRESS",
		"Via Garibaldi 3":                              "ADDRESS",
		"Calle Mayor 7":                                "ADDRESS",
		"Fő utca 9":                                    "ADDRESS",
		"Kungsgatan 44":                                "ADDRESS",
		"Ylioppilaantie 6, Espoo":                      "ADDRESS",
		"Dašická 688":                                  "ADDRESS",
		"pick me up at the corner of Elm and 3rd":      "ADDRESS",
		"Štefánikova 12":                               "ADDRESS",
		"Apt. 864":                                     "ADDRESS",
		"my new address is Koskimylly 25":              "ADDRESS",
		"She was born on 12 March 1985":                "DATE_OF_BIRTH",
		"Geburtsdatum: 03.11.1979":                     "DATE_OF_BIRTH",
		"date of birth 1979-11-03":                     "DATE_OF_BIRTH",
		"my birthday is March 3, 1985":                 "DATE_OF_BIRTH",
		"He just turned 60":                            "AGE",
		"Ich bin 47 Jahre alt":                         "AGE",
		"Elle a 52 ans":                                "AGE",
		"Tengo 34 años.":                               "AGE",
		"i'm 34 yrs old":                               "AGE",
		"geb. am 3.2.1977":                             "DATE_OF_BIRTH",
		"nacida el 3 de febrero de 1977":               "DATE_OF_BIRTH",
		"nascido em 3 de fevereiro de 1977":            "DATE_OF_BIRTH",
		"nata il 3 febbraio 1977":                      "DATE_OF_BIRTH",
		"né le 1er février 1977":                       "DATE_OF_BIRTH",
		"Am Markt 3, 04109 Leipzig":                    "ADDRESS",
		"5 avenue des Champs-Élysées, Paris":           "ADDRESS",
		"Av. Paulista, 1578, São Paulo":                "ADDRESS",
		"C/ Mayor 12, Madrid":                          "ADDRESS",
		"P.zza Garibaldi 4":                            "ADDRESS",
		"jane.doe [at] example [dot] com":              "EMAIL_ADDRESS",
		"jane(at)example.com":                          "EMAIL_ADDRESS",
		"jane AT example DOT com":                      "EMAIL_ADDRESS",
		"mail jane dot doe at example dot co dot uk":   "EMAIL_ADDRESS",
		"Meine E-Mail ist jane.doe at example.com":     "EMAIL_ADDRESS",
		"Kontonummer 532013000":                        "US_BANK_NUMBER",
		"SSN 536228145":                                "US_SSN",
		"93.184.216.34 came in":                        "IP_ADDRESS",
		"from 2a00:1450:4001:81b::200e":                "IP_ADDRESS",
		"Personalausweis L01X00T47":                    "DE_ID_CARD",
		"Reisepass-Nr. C01X00T478":                     "DE_PASSPORT",
		"I am 34 years old":                            "AGE",
		"My zip code is 90210":                         "POSTCODE",
		"My driver's license number is 2270-66-1551":   "US_DRIVER_LICENSE",
		"ring +44 7911 123456":                         "PHONE_NUMBER",
		"reach us: +1 650-253-0000":                    "PHONE_NUMBER",
		"+49 30 1234567":                               "PHONE_NUMBER",
		"电话：13812345678":                               "PHONE_NUMBER",
		"Mein Telefon: 030 1234567":                    "PHONE_NUMBER",
		"mi teléfono es 612 345 678":                   "PHONE_NUMBER",
		"\u200b+4\u200b9 30\u00a0123\u20114567 \uff01": "PHONE_NUMBER",
		"Y2FsbCBtZSBvbiArNDkgMzAgMTIzNDU2NyB0b25pZ2h0": "PHONE_NUMBER",
		"john&#46;doe&#64;example&#46;com":             "EMAIL_ADDRESS",
		"jоhn.dое@ехаmрlе.соm":                         "EMAIL_ADDRESS",
		"write%20to%20ada%40example.org":               "EMAIL_ADDRESS",
		`{"mail": "ada\u0040example.org"}`:             "EMAIL_ADDRESS",
		"４１１１ １１１１ １１１１ １１１１":                          "CREDIT_CARD",
	} {
		require.Contains(t, Found(text, 0.8, nil), want, text)
	}
	for _, text := range []string{
		"the meeting is on 12 March 1985", "explain it to a five year old", "explain it like I am 5 years old", "1. Navigate to the page", "Los números van del 1 al 90. Los otros",
		"Place Subject 1 and Subject 2", "Room 12", "Suite 100", "the 3 musketeers", "12 angry men", "in 1985", "version 2.0.1", "FF:FF:FF:FF:FF:FF mac", "00:00:00:00:00:00 mac",
		"a story about a character named Alex", "turned 20–30° to the side", "Open Street View at step 4", "Villanova 85", "the corner of the room and a chair", "IP 192.168.1.1", "ip 127.0.0.1", "ip fe80::1", "dns 8.8.8.8", "ip 255.255.255.0", "ip 100.64.0.9", "version 93.184.216.34", "see 5.1.2.3",
		"Das Haus ist 47 Jahre alt", "Tengo 34 años de experiencia", "L'entreprise a 34 ans", "array[at]index", "mail: look at example dot com", "meet at noon", "we met at 5 dot 3", "at", "dot at dot",
		"el 3 de febrero de 1977 llovió", "part L01X00T47", "passport L01X00T471", "a corner of Europe", strings.Repeat("Street 1 ", 2000), strings.Repeat("Ada ", 5000),
	} {
		require.Empty(t, Found(text, 0.8, nil), "%.50s", text)
	}
}

func TestFindPointsIntoTheOriginal(t *testing.T) {
	t.Parallel()
	const text = "my phone is +4\u200b9 30 123\u20114567, and ada&#64;example.org"
	found := map[string]string{}
	Find(text, 0.8, nil, func(m Match) bool {
		found[m.Kind] = text[m.Start:m.End]
		return true
	})
	require.Equal(t, map[string]string{"PHONE_NUMBER": "+4\u200b9 30 123\u20114567", "EMAIL_ADDRESS": "ada&#64;example.org"}, found)
	n := 0
	Find(text, 0.8, nil, func(Match) bool { n++; return false })
	require.Equal(t, 1, n)
}
