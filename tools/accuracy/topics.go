// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

var _ = enter("topic-adherence", topicAdherence, "clinc-oos")

// requestTopics are names of topics and the intents of CLINC's requests that belong to each.
var requestTopics = map[string]string{
	"banking": "freeze_account routing pin_change bill_due pay_bill account_blocked interest_rate min_payment bill_balance transfer order_checks balance spending_history transactions report_fraud",
	"credit cards": "replacement_card_duration expiration_date damaged_card improve_credit_score report_lost_card card_declined credit_limit_change apr redeem_rewards credit_limit rewards_balance " +
		"application_status credit_score new_card international_fees",
	"food and cooking": "food_last confirm_reservation how_busy ingredients_list calories nutrition_info recipe restaurant_reviews restaurant_reservation meal_suggestion restaurant_suggestion cancel_reservation " +
		"ingredient_substitution cook_time accept_reservations",
	"driving and cars": "gas gas_type oil_change_how oil_change_when jump_start uber schedule_maintenance last_maintenance tire_pressure tire_change current_location directions distance traffic mpg",
	"travel":           "plug_type travel_notification translate flight_status international_visa timezone exchange_rate travel_suggestion travel_alert vaccines lost_luggage book_flight book_hotel carry_on car_rental",
	"work":             "direct_deposit pto_request taxes payday w2 pto_balance pto_request_status next_holiday insurance insurance_change schedule_meeting pto_used meeting_schedule rollover_401k income",
	"music":            "play_music next_song what_song change_volume update_playlist",
}

// topicAdherence measures whether a request scores higher with its own topic than with
// others; the answer says nothing of any.
func topicAdherence(b *bench) ([]figure, error) {
	names := slices.Sorted(maps.Keys(requestTopics))
	topicOf := map[string]string{}
	for topic, intents := range requestTopics {
		for intent := range strings.FieldsSeq(intents) {
			topicOf[intent] = topic
		}
	}
	rows, err := dataset.Clinc(b.data, "test")
	if err != nil {
		return nil, err
	}
	var scores []float64
	var own []bool
	for _, r := range rows {
		topic := topicOf[r.Label]
		if topic == "" {
			continue
		}
		for _, name := range names {
			s, err := b.number("adherence_score", map[string]string{"question": r.Text, "completion": "There you are.", "reference_topics": name})
			if err != nil {
				return nil, err
			}
			scores, own = append(scores, s), append(own, name == topic)
		}
	}
	figures := topicFigures("CLINC requests with seven topics, test", scores, own)
	figures[0] = figures[0].from(0.7)
	return figures, nil
}

// topicFigures are how well scores tell the own topic from others, and how often it has
// half a point and others have.
func topicFigures(set string, scores []float64, own []bool) []figure {
	var right, wrong, mine, others float64
	for i, s := range scores {
		half := 0.0
		if s >= 0.5 {
			half = 1
		}
		if own[i] {
			mine++
			right += half
		} else {
			others++
			wrong += half
		}
	}
	return []figure{area(set, scores, own), proportion(set, "own topic from 0.5 on", right, mine), proportion(set, "another topic from 0.5 on", wrong, others)}
}
