// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"regexp"
	"strings"
)

// introduction says what the words before a run tell.
type introduction int

const (
	namesNobody  introduction = iota
	namesFull                 // a name follows if it is a known given and family name
	namesKnown                // a name follows if it is a known one
	namesAnybody              // a name follows
)

func set(words string) map[string]bool {
	made := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		made[word] = true
	}
	return made
}

var (
	nameParticles = set("von van der den de del della di da dos das do la le bin ibn al el ben zu zum ter ten y e af av")
	titles        = set("mr mrs ms miss mx dr prof professor madam herr frau fräulein señor señora señorita sr sra srta mme mlle madame monsieur " +
		"signor signora signorina dott dottor dottoressa sig sigra dhr mevr mevrouw meneer hr fru pan pani senhor senhora")
	// callers are words before a name that is addressed.
	callers = set("hi hello hey dear hallo liebe lieber hola querido querida bonjour cher chère ciao caro cara olá oi beste kära kære hej")
	// headWords begin sentences and fields, and are none of a name.
	headWords = set("the a an i you he she it we they my your his her its our their this that these those is are was were be been do does did have has had can could " +
		"will would should shall may might must not no yes if when where what who whom whose which why how and or but so because as at by for from in into of on to with " +
		"about after before since until there here also just only please thanks thank sorry ok okay let name names address phone email mail date subject re fwd user bot assistant system " +
		"contact customer client patient employee january february march april june july august september october november december monday tuesday wednesday thursday friday saturday sunday " +
		"company inc ltd llc corp gmbh university college school hospital bank street avenue road city county state north south east west new united states kingdom republic")
	// fields are labels of forms whose value is a name.
	fields = set("name fullname surname forename firstname lastname vorname nachname nombre nombres apellido apellidos nom prénom nome cognome sobrenome naam achternaam voornaam " +
		"namn navn nimi imię nazwisko jméno příjmení név adı soyadı имя фамилия фио όνομα")
	roles = set("patient employee customer client user applicant recipient sender attn attention contact signed sincerely regards from to cc kunde kundin cliente paciente empleado " +
		"patiente mitarbeiter mitarbeiterin wishes love cheers yours signé gezeichnet gez unterschrift firmado firmato assinado signature apparat ansprechpartner ansprechpartnerin manager owner tenant resident guest student teacher")
	// givers are verbs that give a name, in several languages.
	givers = set("heiße heisse heißt heisst appelle appelles appelée appelé llamo llama chiamo chiama chamo chama heet heter hedder nazywam зовут")
	kin    = set("friend wife husband son daughter brother sister mother father mom mum dad grandmother grandfather uncle aunt cousin nephew niece boyfriend girlfriend fiancé fiancée partner boss colleague coworker " +
		"neighbor neighbour roommate landlord doctor therapist teacher manager guardian nurse lawyer attorney called am speaking add meet met frau mann bruder schwester freund freundin amigo amiga esposa esposo hermano hermana marido " +
		"amico amica moglie marito mari femme frère soeur sœur ami amie collega")
)

// introduction reads what stands before a run.
func (s *scan) introduction(run nameRun) introduction {
	if s.isCharacter(run) {
		return namesNobody
	}
	found := s.introduced(run)
	if found == namesNobody && run.size() > 1 && s.besideRole(run) {
		return namesFull
	}
	return found
}

func (s *scan) introduced(run nameRun) introduction {
	if s.hasKin(run) || s.hasHome(run) && !s.isInvented(run.first) {
		return namesKnown
	}
	if run.first == 0 {
		return s.asked(run)
	}
	before := s.lowerToken(run.first - 1)
	between := s.text[s.tokens[run.first-1].end:s.tokens[run.first].start]
	second, third := s.lowerToken(run.first-2), s.lowerToken(run.first-3)
	near := strings.Trim(between, " ") == ""
	label := strings.TrimSpace(strings.Trim(between, " \t\"'>*_")) == ":"
	switch {
	case s.isKeyed(run, between):
		return namesKnown
	case titles[before] && strings.Trim(between, " .") == "" && (run.size() > 1 || !s.isInvented(run.first)):
		return namesAnybody
	case near && (before == "is" || before == "was" || before == "s") && second == "name" && !invented[third]:
		return namesAnybody
	case near && givers[before], before == "me" && givers[second] && s.gap(run.first-1) == '-' && near:
		return namesAnybody
	case near && (before == "ist" || before == "est" || before == "es" || before == "è" || before == "é") && fields[second]:
		return namesAnybody
	case label && fields[before] && s.isCompound(run.first-1, second), label && strings.Contains(between, "\n") && s.isLabel(run):
		return namesNobody
	case label && fields[before] && strings.ContainsAny(between, "\"'*"):
		return namesKnown
	case label && fields[before], strings.TrimSpace(between) == "?" && fields[before], label && s.asksName(run.first-1):
		return namesAnybody
	case near && (before == "says" || before == "said") && (run.size() == 2 || run.size() == 3) && !s.endsQuote(run.first-1):
		return namesKnown
	case near && (before == "says" || before == "said") && (run.size() == 2 || run.size() == 3 || run.size() == 1 && s.endsQuote(run.first-1) && !s.isInvented(run.first)):
		return namesAnybody
	case label && (roles[before] || before == "person" && second == "contact"), strings.TrimSpace(between) == "," && roles[before] && strings.Contains(between, "\n"):
		return namesKnown
	case callers[before] && near, callers[second] && near && (before == "there" || before == "again"):
		return namesKnown
	case (before == "am" || before == "m") && second == "i" && s.isInvented(run.first):
		return namesNobody
	case near && kin[before] && (second == "my" || second == "our" || second == "your" || second == "meine" || second == "mein" || second == "mi" || second == "mon" || second == "ma" || second == "mia" || second == "mio" || run.size() > 1), before == "m" && second == "i", near && before == "is" && second == "this" && run.size() > 1:
		return namesKnown
	case near && givenTo(before, second, third):
		return namesKnown
	}
	return namesNobody
}

// isKeyed reports whether a run is the value of a key for names: in JSON, a
// form, an element of XML, a cell next to its label or below its head.
func (s *scan) isKeyed(run nameRun, between string) bool {
	k := run.first - 1
	start := s.tokens[k].start
	signs := strings.Trim(between, " \t\"'")
	switch {
	case signs == ":" || signs == "=>":
		return s.tokens[k].compound() && s.isNameKey(k, k+1)
	case signs == "=":
		return s.isNameKey(k, k+1)
	case between == ">":
		return start > 0 && s.text[start-1] == '<' && s.isNameKey(k, k+1)
	case s.isInvented(run.first):
		return false
	case signs == "|":
		begin := strings.LastIndexAny(s.text[:start], "|\n") + 1
		first, _ := s.around(begin, start)
		if s.isNameKey(first, k+1) {
			return true
		}
	}
	first, behind := s.head(s.tokens[run.first].start)
	return s.isNameKey(first, behind)
}

// isNameKey reports whether the tokens are a key whose value is a person's
// name, such as "name", "customerName" and "account_holder".
func (s *scan) isNameKey(first, behind int) bool {
	if behind <= first || behind-first > maxHead {
		return false
	}
	var parts []string
	for k := first; k < behind; k++ {
		parts = append(parts, keyParts(s.of(s.tokens[k]))...)
	}
	last := len(parts) - 1
	if last < 0 || len(parts) == 1 && !fields[parts[0]] {
		return false
	}
	for _, part := range parts[:last] {
		if !compounds[part] && !roles[part] && !keyOwners[part] && !fields[part] {
			return false
		}
	}
	return fields[parts[last]] || holders[parts[last]]
}

var (
	// keyOwners are further words before "name" in keys.
	keyOwners = set("cardholder holder account billing shipping spouse applicant borrower passenger traveler traveller candidate subscriber member beneficiary insured parent child driver buyer seller payer payee nick maiden person")
	// holders end keys whose value is a person.
	holders = set("holder cardholder assignee")
)

// invented are words before "name is" in tales: his name is Paul.
var invented = set("his her its their whose")

// tellers are words of a text that invents a person.
var tellers = set("character characters named roleplay protagonist fictional fiction story tale novel film movie heroine villain imagine pretend scenario scene")

// isInvented reports whether the words before token i speak of an invented person.
func (s *scan) isInvented(i int) bool {
	for ; s.invented < i && !tellers[s.lowerToken(s.invented)]; s.invented++ {
	}
	return s.invented < i
}

// compounds are the words before "name" that leave it a person's.
var compounds = set("full first last middle maiden given family legal my your his her customer patient contact employee user guest complete")

// isCompound reports whether token i is the second half of something that is
// not a person's name, such as "Product Name".
func (s *scan) isCompound(i int, before string) bool {
	return s.gap(i) == ' ' && s.tokens[i-1].digits == 0 && !compounds[before] && !roles[before] && !keyOwners[before]
}

// isLabel reports whether a run is a label itself, of a form that is empty.
func (s *scan) isLabel(run nameRun) bool {
	return strings.HasPrefix(s.text[s.tokens[run.last].end:], ":")
}

// endsQuote reports whether a quotation ends before token i.
func (s *scan) endsQuote(i int) bool {
	before := strings.TrimRight(s.text[max(0, s.tokens[i].start-maxQuoteEnd):s.tokens[i].start], " ")
	return strings.HasSuffix(before, "\"") || strings.HasSuffix(before, "”") || strings.HasSuffix(before, "!")
}

// maxQuoteEnd is the number of bytes before a word in which a quotation ends.
const maxQuoteEnd = 6

// hasKin knows "Ada's daughter".
func (s *scan) hasKin(run nameRun) bool {
	k := run.last + 1
	return k+1 < len(s.tokens) && s.gap(k) == '\'' && s.of(s.tokens[k]) == "s" && (kin[s.lowerToken(k+1)] || s.lowerToken(k+1) == "kid") && s.gap(k+1) == ' '
}

// hasHome knows "Ada is from", "Ada lives in", "Ada works for".
func (s *scan) hasHome(run nameRun) bool {
	k := run.last + 1
	if k+1 >= len(s.tokens) || s.gap(k) != ' ' || s.gap(k+1) != ' ' {
		return false
	}
	next := s.lowerToken(k + 1)
	switch s.of(s.tokens[k]) {
	case "is":
		return next == "from"
	case "lives", "works", "lived", "worked":
		return next == "in" || next == "at" || next == "for" || next == "with"
	}
	return false
}

// asked knows "Ada, can you …" at the beginning of a text.
func (s *scan) asked(run nameRun) introduction {
	behind := run.last + 1
	if behind < len(s.tokens) && s.text[s.tokens[run.last].end:s.tokens[behind].start] == ", " && asking[s.of(s.tokens[behind])] {
		return namesKnown
	}
	return namesNobody
}

var asking = set("can could would will please I do did are have what where when why how you your thanks thank let")

// givenTo knows "named him", "call me", "speak to", "says".
func givenTo(before, second, third string) bool {
	switch before {
	case "him", "her", "me":
		return second == "named" || second == "call" && before == "me"
	case "to", "with":
		return second == "speak" || second == "talk" || second == "spoke" || second == "talked" || second == "married"
	case "says", "said":
		return third != "" || second != ""
	}
	return false
}

// asksName reports whether the speaker at token i answers a question about a
// name.
func (s *scan) asksName(i int) bool {
	if !roles[s.lowerToken(i)] {
		return false
	}
	before := strings.TrimRight(s.text[max(0, s.tokens[i].start-8):s.tokens[i].start], " \n\t")
	if !strings.HasSuffix(before, "?") {
		return false
	}
	for k := i - 1; k >= 0 && k > i-8; k-- {
		if fields[s.lowerToken(k)] {
			return true
		}
	}
	return false
}

// lowerToken returns token i in lower case, "" if there is none.
func (s *scan) lowerToken(i int) string {
	if i < 0 || i >= len(s.tokens) {
		return ""
	}
	if s.low == "" {
		s.low = strings.ToLower(s.text)
	}
	if len(s.low) != len(s.text) { // a few letters have another length in lower case
		return strings.ToLower(s.of(s.tokens[i]))
	}
	return s.low[s.tokens[i].start:s.tokens[i].end]
}

// eastern is how people give their name in Chinese, Japanese and Korean, which have no
// capitals: the name, in Chinese behind one of the commonest hundred family names, is the
// group that matches.
var eastern = regexp.MustCompile(`(?:我叫|我的名字(?:是|叫)|(?:姓名|联系人|聯絡人) ?[:：] ?)(` +
	`[王李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱高林何郭马馬罗羅梁宋郑鄭谢謝韩韓唐冯馮于董萧蕭程曹袁邓鄧许許傅沈曾彭吕呂苏蘇卢盧蒋蔣蔡贾賈丁魏薛叶葉阎余潘杜戴夏钟鍾汪田任姜范方石姚谭譚廖邹鄒熊金陆陸郝孔白崔康毛邱秦江史顾顧侯邵孟龙龍万萬段雷钱錢汤湯尹黎易常武乔喬贺賀赖賴龚龔文]\p{Han}{1,2})` +
	`|(?:氏名|お名前) ?[:：] ?([\p{Han}\p{Katakana}ー]{2,6}(?:[ 　・][\p{Han}\p{Katakana}ー]{1,6})?)|(?:私|僕|わたし)の名前は ?([\p{Han}\p{Katakana}ー・ 　]{2,12}?)(?:です|といい|と言い|と申し)|([\p{Han}\p{Katakana}ー]{2,8})と申します` +
	`|(?:제|내|저의) 이름은 ?(\p{Hangul}{2,4}?)(?:입니다|이에요|예요|이고|이라고|라고)|(?:이름|성명|성함) ?[:：] ?(\p{Hangul}{2,4})`)

// easternSigns are parts of these words, one of which is in all that matches.
var easternSigns = []string{"我叫", "我的名字", "姓名", "联系人", "聯絡人", "氏名", "名前", "と申します", "이름", "성명", "성함"}

// findEastern finds the names by which people introduce themselves in these languages.
func (s *scan) findEastern(yield func(match) bool) bool {
	for _, sign := range easternSigns {
		if !strings.Contains(s.text, sign) {
			continue
		}
		for _, at := range eastern.FindAllStringSubmatchIndex(s.text, -1) {
			for group := 2; group < len(at); group += 2 {
				if at[group] >= 0 && !yield(match{start: at[group], end: at[group+1], score: introducedName}) {
					return false
				}
			}
		}
		return true
	}
	return true
}
