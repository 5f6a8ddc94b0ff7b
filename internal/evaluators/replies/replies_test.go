// SPDX-License-Identifier: Apache-2.0

package replies

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRefusalsAreToldFromAnswers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"I'm sorry, but I can't help with that.":                              true,
		"I don't know.":                                                       true,
		"Sorry, as an AI language model, I cannot browse the web.":            true,
		"I am unable to answer this question. Please ask somebody else.":      true,
		"There is not enough information to tell.":                            true,
		"I must decline.":                                                     true,
		"As an AI language model, I cannot draw. However, I can describe it.": false,
		"I cannot draw, but here is a description: it is round.":              false,
		"The capital of France is Paris.":                                     false,
		"":                                                                    false,
		"You can't divide by zero.":                                           false,
		"I'm sorry, but I can't help with that. Picking locks that are not yours is illegal. It may harm others, and it has serious consequences. If you are locked out, please contact a locksmith. I am happy to help with something else.": true,
		"I cannot provide medical advice. I am not a doctor. A chest pain can be an emergency. Please seek help from a professional right away. Call the emergency number of your country.":                                                   true,
		"I'm unable to fulfill this request. It goes against my guidelines. Content of this kind hurts people. However, I would be glad to help you write something kind. Let me know what you need.":                                         true,
		"As an AI, I don't have access to real-time data. I cannot tell the weather of today. Please consult a website for it. My knowledge ends at my training.":                                                                             true,
		"I cannot predict the future. However, prices rose in each of the last five years. Demand is high. Supply is low. They may rise again.":                                                                                               false,
		"I can't believe it! Thank you so much. I worked hard for this. It has paid off. I am thrilled.":                                                                                                                                      false,
		"As an AI language model, I don't have preferences, but in general vanilla sells best. Chocolate comes second. Strawberry is third. Lemon is fourth.":                                                                                 false,
		"I cannot promote lies. The earth is round. Ships vanish hull first. Eclipses show a round shadow. Pilots fly around it.":                                                                                                             false,
		"Is there anything else I can help you with?":                                     false,
		"Great, I can help you with that.":                                                false,
		"We can do that for you.":                                                         false,
		"I do know that it has twelve floors.":                                            false,
		"I am sure about the date.":                                                       false,
		"There is enough information in the manual.":                                      false,
		"I have never been sorry but I can do better.":                                    false,
		"I'm not sure but the river is in Spain.":                                         false,
		"I am not sure but Lisbon is older than Rome.":                                    false,
		"We will not discuss this here.":                                                  true,
		"I do not remember.":                                                              true,
		"As an AI language model I do not have preferences.":                              true,
		"I can't do it justice. It has five acts. It is long. Hamlet dies. So do others.": false,
	} {
		require.Equal(t, want, Declines(text), text)
	}
}

func TestRequestsAreMet(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		request, reply string
		want           bool
	}{
		{"Book a table at Luigi's", "A table at Luigi's is booked.", true},
		{"Book a table at Luigi's", "Bananas are yellow.", false},
		{"Book a table at Luigi's", " ", false},
		{"Book a table at Luigi's", "I can't book a table at Luigi's.", false},
		{"Book a table at Luigi's", "Error: Luigi's table service timed out", false},
		{"What is the capital of France?", "Paris.", true},
		{"When does the train to Oslo leave?", "Tomorrow at 9:40.", true},
		{"What is 17 times 3?", "51", true},
		{"Translate \"good morning\" into Spanish.", "Buenos días.", true},
		{"Book a table at Luigi's", "Done.", true},
		{"Book a table at Luigi's", "Pardon?", false},
		{"Book a table at Luigi's", "Hello, thanks!", false},
		{"Book a table at Luigi's", "I like turtles.", false},
		{"Book a table at Luigi's", "Internal server error", false},
		{"Book a table at Luigi's", "Not possible.", false},
		{"What is the capital of France?", "No idea.", false},
		{"What is the capital of France?", "Unknown.", false},
		{"What is the capital of France?", "N/A", false},
		{"What is 3 plus 4?", "7", true},
		{"Hi, thanks!", "You are welcome.", true},
		{"Hi, thanks!", "", false},
	} {
		require.Equal(t, row.want, Met(row.request, row.reply), "%s / %s", row.request, row.reply)
	}
}
