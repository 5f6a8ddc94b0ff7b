// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"slices"
	"strings"
	"sync"
)

// maxCells is how many cells of a row of a table are looked at.
const maxCells = 32

// cell is what stands between two bars of a row of a Markdown table.
type cell struct {
	text  string
	start int // in the row
}

// table keeps which columns of a Markdown table have passwords.
type table struct {
	above   string // the row above, if it is one
	columns []int  // that have passwords
	inside  bool   // between the row of dashes and the end
}

// secrets hands over the passwords in a row: those in a column that is called so,
// and the one behind a cell that says what it is.
func (t *table) secrets(line string, yield func(start, end int) bool) bool {
	row := strings.TrimSpace(line)
	if strings.IndexByte(row, '|') < 0 {
		*t = table{}
		return true
	}
	if strings.Trim(row, "|-: \t") == "" {
		t.inside, t.columns = t.above != "", nil
		for i, c := range cells(t.above) {
			if isPasswordTitle(c.text) {
				t.columns = append(t.columns, i)
			}
		}
		return true
	}
	t.above = row
	if len(t.columns) == 0 && !mayTell(row) {
		return true
	}
	row = line
	for i, all := 0, cells(row); i < len(all); i++ {
		named := slices.Contains(t.columns, i) || i > 0 && len(t.columns) == 0 && isPasswordTitle(all[i-1].text)
		value := strings.Trim(all[i].text, "`*\"'")
		if start := all[i].start + strings.Index(all[i].text, value); named && isInTable(value) && !yield(start, start+len(value)) {
			return false
		}
	}
	return true
}

// cells returns those of a row.
func cells(row string) []cell {
	var all []cell
	begin := 0
	if strings.HasPrefix(strings.TrimLeft(row, " \t"), "|") {
		begin = strings.IndexByte(row, '|') + 1
	}
	for begin < len(row) && len(all) < maxCells {
		end := strings.IndexByte(row[begin:], '|')
		if end < 0 {
			end = len(row) - begin
		}
		text := row[begin : begin+end]
		start := begin + len(text) - len(strings.TrimLeft(text, " \t"))
		all = append(all, cell{strings.TrimSpace(text), start})
		begin += end + 1
	}
	return all
}

// tableTitles are what columns and rows of passwords are called.
var tableTitles = []string{
	"password", "passwords", "passwort", "passwörter", "kennwort", "mot de passe", "contraseña", "senha", "wachtwoord", "parola d'ordine", "passphrase", "pwd", "pass", "secret", "api key", "api_key", "apikey",
	"access key", "secret key", "token", "client secret",
}

func isPasswordTitle(text string) bool {
	return len(text) <= maxNameLength && slices.Contains(tableTitles, strings.ToLower(strings.Trim(text, "`*_: ")))
}

// titleWords finds titles in a row.
var titleWords = sync.OnceValue(func() *words { return newWords(tableTitles) })

// mayTell reports whether a row has one of the titles.
func mayTell(row string) bool { return titleWords().in(string(lowered(row))) }

// isInTable reports whether what fills a cell is a password.
func isInTable(value string) bool {
	return len(value) >= 6 && len(value) <= maxNamedValue && strings.IndexByte(value, ' ') < 0 && isChosen(value) && isMixed(value) &&
		!isTechnical(value) && !strings.ContainsAny(value, "()[]<>/|") && !uuid.MatchString(value)
}
