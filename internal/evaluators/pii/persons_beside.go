// SPDX-License-Identifier: Apache-2.0

package pii

import "strings"

var (
	// selves are the words before a speaker's own name.
	selves = set("am sono soy sou jestem som jag")
	// selfPairs are the last of two such words, and the first ones.
	selfPairs = map[string]map[string]bool{
		"suis": set("je"), "bin": set("ich"), "s": set("bin"), "ben": set("ik"), "ist": set("hier"), "spricht": set("hier"), "est": set("ici"), "m": set("i"),
		"er": set("jeg"), "olen": set("minä"), "è": set("qui"), "habla": set("aquí"), "con": set("habla"), "é": set("aqui"),
	}
	// strangers are those whom firms know and the news do not.
	strangers = set("customer customers client clients patient patients employee tenant applicant accountant colleague coworker assistant supervisor landlord landlady neighbour neighbor recipient passenger " +
		"caller subscriber policyholder resident nurse therapist claimant borrower beneficiary " +
		"kunde kunden kundin patientin mitarbeiter mitarbeiterin kollege kollegin kollegen mieter mieterin nachbar nachbarin versicherte versicherter " +
		"cliente clientes clienta paciente empleado empleada empleo inquilino inquilina funcionário funcionária utente colega paziente dipendente inquilina collega client cliente patiente salarié salariée locataire collègue voisin voisine klant patiënt werknemer") //nolint:misspell // Spanish
	// ours are people whom a speaker calls theirs.
	ours = set("manager director teacher boss doctor dentist lawyer agent consultant trainer advisor adviser secretary partner representative engineer developer designer coach tutor professor chef leiter leiterin lehrer lehrerin ärztin arzt anwalt anwältin " +
		"chefin jefe jefa gerente profesor profesora directeur directrice capo direttore direttrice contador contadora") //nolint:misspell // Spanish
	// reached are verbs before a person who is to be reached.
	reached = set("ask contact call phone email ring notify remind inform invite text message kontaktieren contactez appelez contacte llame contatta contattare contate ligue")
	// reachedBy are the verbs and things before "to", "with" and "by".
	reachedBy = map[string]map[string]bool{
		"to":   set("forward send sent sends forwarded reply report transfer transferred deliver delivered ship shipped speak spoke spoken speaking talk talked talking belongs belong registered assigned addressed issued billed invoice payable"),
		"with": set("meeting met meet appointment spoke speak speaking talked consultation"),
		"by":   set("signed prepared submitted approved requested reported"),
		"for":  set("appointment reservation prescription invoice ticket order"),
		"an":   set("sende senden schicke schicken weiterleiten"),
	}
	// acted are what a person did who was not in the news for it.
	acted = set("called phoned rang emailed texted complained")
	// actedHow stand behind that.
	actedHow = set("me us back again twice yesterday today this in about to and")
	// owned are things that people have.
	owned = set("phone account email e-mail address password order appointment ticket laptop birthday salary mobile number invoice prescription insurance passport policy")
	// places begin names of places that are also names of people.
	places = set("san santa santo saint st são new los las el la port fort mount lake costa rio ste sainte sankt monte villa")
)

// besideRole reports whether a word next to a run shows that it is a private person:
// a role, a verb, or the speaker.
func (s *scan) besideRole(run nameRun) bool {
	if places[s.lowerToken(run.first)] || s.isInvented(run.first) {
		return false
	}
	return s.roleBefore(run) || s.roleBehind(run)
}

func (s *scan) roleBefore(run nameRun) bool {
	if run.first == 0 {
		return false
	}
	between := s.text[s.tokens[run.first-1].end:s.tokens[run.first].start]
	before, second := s.lowerToken(run.first-1), s.lowerToken(run.first-2)
	if sign := strings.TrimSpace(between); sign != "" {
		// Our manager, Ada Kowalska, is out.
		return sign == "," && (strangers[before] || ours[before] && owners[second]) || sign == "," && selfPairs[before][second]
	}
	if before == "a" || before == "o" { // Sou a Maria Santos
		before, second = second, s.lowerToken(run.first-3)
	}
	switch {
	case strangers[before], reached[before], selfPairs[before][second], selves[before] && (before != "am" || second == "i"):
		return true
	case ours[before]:
		return owners[second]
	case before == "of":
		return second == "behalf"
	}
	if verbs := reachedBy[before]; verbs != nil {
		for k := run.first - 2; k >= 0 && k >= run.first-maxReach; k-- {
			if verbs[s.lowerToken(k)] {
				return true
			}
		}
	}
	return false
}

// maxReach is how many words are between such a verb and a name at most.
const maxReach = 5

func (s *scan) roleBehind(run nameRun) bool {
	k := run.last + 1
	if k >= len(s.tokens) {
		return false
	}
	between := s.text[s.tokens[run.last].end:s.tokens[k].start]
	next := s.lowerToken(k)
	switch {
	case between == "'" && next == "s" || between == "’" && next == "s":
		return owned[s.lowerToken(k+1)]
	case between != " ":
		return false
	case next == "here" || next == "speaking":
		first := run.first == 0 || strings.Trim(s.text[s.tokens[run.first-1].end:s.tokens[run.first].start], " ") != "" // begins a sentence
		return first && (k+1 >= len(s.tokens) || s.gap(k+1) != ' ' || s.lowerToken(k+1) == "from")
	case acted[next]:
		return actedHow[s.lowerToken(k+1)]
	}
	return false
}

var (
	// characters bear titles in books and on screens, or names of drinks.
	characters = set("pepper darcy bingley rochester dumbledore snape mcgonagall spock who doom strange robot evil seuss dolittle jekyll hyde frankenstein moriarty zhivago bean magoo potato krabs miyagi x claus " +
		"heathcliff poppins doubtfire incredible manhattan octopus grinch claus oz gradgrind gatsby knightley wickham ishmael")
	// assistants are names of programs that people greet.
	assistants = set("claude alexa siri cortana gemini bard copilot chatgpt gpt bing google grok llama mistral bixby ai")
)

// isCharacter reports whether a run is a well-known fictional person,
// or a program.
func (s *scan) isCharacter(run nameRun) bool {
	first := s.lowerToken(run.first)
	return run.size() == 1 && (characters[first] || assistants[first])
}
