// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNamesBesideRolesAndVerbs(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"I am Hannah Fischer and I need help.", "Je suis Amélie Dubois", "Ich bin Hannah Fischer", "Ich bin's, Hannah Fischer", "Soy Carlos Gómez", "Sono Giulia Rossi", "Sou a Maria Santos", "Chamo-me João Silva.",
		"Hier spricht Hannah Fischer", "Am Apparat: Hannah Fischer", "Tom Baker here.", "Hi, Tom Baker here from sales", "Tom Baker speaking.", "Please contact Hannah Fischer on Monday.", "Ask Tom Baker about it.",
		"Send the invoice to Tom Baker please.", "Meeting with Tom Baker at noon.", "This account is registered to Tom Baker.", "on behalf of Tom Baker", "Customer Tom Baker called", "Our manager, Tom Baker, will call.",
		"The client Tom Baker waits", "Patient Hannah Fischer, geb. 03.02.1977", "Die Patientin Hannah Fischer kam am Montag.", "Le client Olivier Mercier attend.", "El cliente Andrés Navarro llamó ayer.",
		"Tom Baker called me back", "Tom Baker's phone is broken.", "Signé : Amélie Dubois", "Contact person: Tom Baker", "i'm john smith and my account is locked", "this is hannah fischer", "ich bin jürgen krüger",
	} {
		require.GreaterOrEqual(t, score("PERSON", text), besideName, text)
	}
	for _, text := range []string{
		"Dr. Pepper", "Mr. Darcy proposed to Elizabeth Bennet in the novel", "Prof. Dumbledore said that magic is real", "Call me Ishmael.", "Hi Claude, please help.", "Thank you, Alexa.", "My name is AI.",
		"I'm Batman.", "I am Iron Man.", "Je suis Charlie.", "Soy Español", "Ich bin Berliner.", "i am frank about it", "i'm may be late", "soy de santa cruz", "the director Steven Spielberg", "Contact Santa Barbara",
		"send it to San Diego", "A story: I am Tom Baker", "Emily Dickinson wrote it", "Product Name: \"Rose Martin\"", "OpenAI says Good Morning!", "Name:\nRelationship:\nPhone:",
		"Who directed it?\nA. Martin Scorsese\nB. Francis Ford Coppola\n", "Describe this person.\nRyan Reynolds", "Costa Rica\nSaint Lucia\n", "Author: William Shakespeare", "Lists:\nEl Salvador\nMalta\n",
	} {
		require.Less(t, score("PERSON", text), lineName, text)
	}
}

func TestNobodyWhoLivesWasBornLongAgo(t *testing.T) {
	t.Parallel()
	require.Empty(t, found("Mozart was born on 27 January 1756"))
	require.Empty(t, found("born 1889-12-31"))
	require.Equal(t, []string{"DATE_OF_BIRTH"}, found("born on 27 January 1956"))
}

func TestPrintedPostcodesAreNone(t *testing.T) {
	t.Parallel()
	require.Empty(t, found("zip 12345 or 99999"))
	require.Equal(t, []string{"POSTCODE"}, found("zip 94107"))
}
