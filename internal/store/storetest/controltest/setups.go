// SPDX-License-Identifier: Apache-2.0

package controltest

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

func setupsComeBackAsTheyWere(t *testing.T, c *control) {
	env := c.environment(t, "acme")
	var full monitor.Setup
	fill(reflect.ValueOf(&full).Elem(), new(int)) // a field added later is tested from the start
	full.EnvironmentID, full.Revision = env.ID, 1
	empty := monitor.Setup{ID: "empty", EnvironmentID: env.ID, CreatedAt: full.CreatedAt, Revision: 1}

	for _, want := range []monitor.Setup{full, empty} {
		given := want
		c.refer(t, env, want)
		given.Revision = 41 // a new setup has revision 1, whatever it says
		require.NoError(t, store.Setups(c).Create(t.Context(), given))
		got, err := store.Setups(c).Get(t.Context(), env.ID, want.ID)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	all, err := store.Setups(c).Filter(t.Context(), store.DocumentFilter{})
	require.NoError(t, err)
	require.Equal(t, []monitor.Setup{full, empty}, all)

	// Times are instants: the zone they were given in does not matter.
	zoned := storetest.NewSetup(env, "zoned")
	zoned.CreatedAt = zoned.CreatedAt.In(time.FixedZone("elsewhere", 5*3600))
	require.NoError(t, store.Setups(c).Create(t.Context(), zoned))
	got, err := store.Setups(c).Get(t.Context(), env.ID, "zoned")
	require.NoError(t, err)
	require.Equal(t, storetest.NewSetup(env, "zoned"), got)
}

// configurationsComeBackAsTheyWere: but for the space between tokens; numbers
// and the spelling of texts are not touched.
func configurationsComeBackAsTheyWere(t *testing.T, c *control) {
	env := c.environment(t, "acme")
	s := storetest.NewSetup(env, "quality")
	s.MinSpans, s.MaxCostPerDay, s.Deadline = math.MaxInt64, math.SmallestNonzeroFloat64, math.MaxInt64
	s.OtherLanguages = monitor.OthersUse
	s.Evaluators = nil
	var want []json.RawMessage
	for given, stored := range map[string]string{
		"": "", "{}": "{}", "null": "null",
		" { \"b\" : 1 ,\n\t\"a\": 1.50, \"a\": 1e400 } ":   `{"b":1,"a":1.50,"a":1e400}`,
		`{"<&>` + "\u2028" + `":"\u003c` + "\u2028" + `"}`: `{"<&>` + "\u2028" + `":"\u003c` + "\u2028" + `"}`,
		`{"n": 12345678901234567890123, "x": "\ud800"}`:    `{"n":12345678901234567890123,"x":"\ud800"}`,
		`{"\\x00": "\\", "nul": "\u0000"}`:                 `{"\\x00":"\\","nul":"\u0000"}`,
	} {
		e := monitor.SetupEvaluator{Slug: fmt.Sprint("e", len(want)), SampleRate: 1 / float64(len(want)+1), Config: json.RawMessage(given)}
		s.Evaluators = append(s.Evaluators, e)
		want = append(want, json.RawMessage(stored))
	}
	require.NoError(t, store.Setups(c).Create(t.Context(), s))
	got, err := store.Setups(c).Get(t.Context(), env.ID, s.ID)
	require.NoError(t, err)
	for i := range want {
		require.Equal(t, string(want[i]), string(got.Evaluators[i].Config))
		s.Evaluators[i].Config, got.Evaluators[i].Config = nil, nil
	}
	require.Equal(t, s, got)

	s.MaxCostPerDay, s.Deadline = math.MaxFloat64, 1
	for i := range s.Evaluators { // empty is none
		s.Evaluators[i].Config, s.Evaluators[i].Inputs = json.RawMessage{}, map[string]monitor.InputSource{}
	}
	got, err = store.Setups(c).Replace(t.Context(), s)
	require.NoError(t, err)
	require.InDelta(t, s.MaxCostPerDay, got.MaxCostPerDay, 0)
	require.Equal(t, s.Deadline, got.Deadline)
	for _, e := range got.Evaluators {
		require.Nil(t, e.Config)
		require.Nil(t, e.Inputs)
	}
}

// fill sets every field below v to a value that no other has.
func fill(v reflect.Value, n *int) {
	*n++
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(1_780_000_000, int64(*n)).UTC()))
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.SetBytes(fmt.Appendf(nil, `{"text":%d}`, *n))
	case v.Kind() == reflect.String:
		v.SetString(fmt.Sprint("text ", *n))
	case v.Kind() == reflect.Int64:
		v.SetInt(int64(*n))
	case v.Kind() == reflect.Float64:
		v.SetFloat(float64(*n) / 3)
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case v.Kind() == reflect.Slice || v.Kind() == reflect.Array:
		if v.Kind() == reflect.Slice {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		}
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case v.Kind() == reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 2 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(key, n)
			fill(value, n)
			v.SetMapIndex(key, value)
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	default:
		panic("fill does not know " + v.Type().String())
	}
}

func setupsGoByTwoNames(t *testing.T, c *control) {
	env := c.environment(t, "acme")
	first, second := storetest.NewSetup(env, "first"), storetest.NewSetup(env, "second")
	second.ExternalID = first.ID // a caller may choose what is another's id
	require.NoError(t, store.Setups(c).Create(t.Context(), first))
	require.NoError(t, store.Setups(c).Create(t.Context(), second))

	for name, want := range map[string]monitor.Setup{
		"first":   first,
		second.ID: second,
		first.ID:  second, // the external id counts before the id
	} {
		got, err := store.Setups(c).Get(t.Context(), env.ID, name)
		require.NoError(t, err)
		require.Equal(t, want, got, name)
	}
	_, err := store.Setups(c).Get(t.Context(), env.ID, "third")
	requireKind(t, fault.NotFound, err)
	_, err = store.Setups(c).Get(t.Context(), env.ID, "")
	requireKind(t, fault.NotFound, err)
}

func setupsAreListedOldestFirst(t *testing.T, c *control) {
	acme, blue := c.environment(t, "acme"), c.environment(t, "blue")
	create := func(s monitor.Setup, age time.Duration) {
		s.CreatedAt = s.CreatedAt.Add(-age)
		require.NoError(t, store.Setups(c).Create(t.Context(), s))
	}
	create(storetest.NewSetup(acme, "z young"), 0)
	create(storetest.NewSetup(acme, "z young twin"), 0)
	create(storetest.NewSetup(acme, "a young triplet"), 0)
	create(storetest.NewSetup(acme, "old"), time.Hour)
	create(storetest.NewSetup(blue, "foreign"), time.Minute)

	require.Equal(t, []string{"old", "z young", "z young twin", "a young triplet"}, c.list(t.Context(), t, acme.ID))
	require.Equal(t, []string{"foreign"}, c.list(t.Context(), t, blue.ID))
	require.Empty(t, c.list(t.Context(), t, "nowhere"))

	all, err := store.Setups(c).Filter(t.Context(), store.DocumentFilter{})
	require.NoError(t, err)
	require.Equal(t, []string{"old", "foreign", "z young", "z young twin", "a young triplet"}, externalIDs(all))
	some, err := store.Setups(c).Filter(t.Context(), store.DocumentFilter{IDs: []string{all[3].ID, all[1].ID, "nobody"}})
	require.NoError(t, err)
	require.Equal(t, []string{"foreign", "z young twin"}, externalIDs(some))
	none, err := store.Setups(c).Filter(t.Context(), store.DocumentFilter{IDs: []string{}})
	require.NoError(t, err)
	require.Empty(t, none)
}

func externalIDsAreUnique(t *testing.T, c *control) {
	acme, blue := c.environment(t, "acme"), c.environment(t, "blue")
	c.setup(t, acme, "quality")
	c.setup(t, blue, "quality") // another environment does not care
	twin := storetest.NewSetup(acme, "quality")
	twin.ID = "another id"
	requireKind(t, fault.Conflict, store.Setups(c).Create(t.Context(), twin))
	again := storetest.NewSetup(acme, "another external id")
	again.ID = storetest.NewSetup(acme, "quality").ID
	requireKind(t, fault.Conflict, store.Setups(c).Create(t.Context(), again))
	c.setup(t, acme, "Quality") // case makes a difference
	c.setup(t, acme, "quality ")
	homeless := storetest.NewSetup(acme, "homeless")
	homeless.EnvironmentID = "nowhere"
	requireKind(t, fault.NotFound, store.Setups(c).Create(t.Context(), homeless))
	require.Equal(t, []string{"quality", "Quality", "quality "}, c.list(t.Context(), t, acme.ID))
}

func setupsAreReplacedByRevision(t *testing.T, c *control) {
	env := c.environment(t, "acme")
	s := c.setup(t, env, "quality")
	c.setup(t, env, "taken")

	var next monitor.Setup
	fill(reflect.ValueOf(&next).Elem(), new(int))
	next.ID, next.EnvironmentID, next.Revision = s.ID, env.ID, 1
	c.refer(t, env, next)
	want := next
	want.Revision = 2
	want.CreatedAt = s.CreatedAt // which is for good
	stored, err := store.Setups(c).Replace(t.Context(), next)
	require.NoError(t, err)
	require.Equal(t, want, stored)
	got, err := store.Setups(c).Get(t.Context(), env.ID, next.ExternalID)
	require.NoError(t, err)
	require.Equal(t, want, got)

	stale := stored
	stale.Revision = 1
	_, err = store.Setups(c).Replace(t.Context(), stale)
	requireKind(t, fault.Conflict, err)
	early := stored
	early.Revision = 3
	_, err = store.Setups(c).Replace(t.Context(), early)
	requireKind(t, fault.Conflict, err)
	clash := stored
	clash.ExternalID = "taken"
	_, err = store.Setups(c).Replace(t.Context(), clash)
	requireKind(t, fault.Conflict, err)
	gone := stored
	gone.ID = "nobody"
	_, err = store.Setups(c).Replace(t.Context(), gone)
	requireKind(t, fault.NotFound, err)

	got, err = store.Setups(c).Get(t.Context(), env.ID, s.ID)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func setupsAreDeleted(t *testing.T, c *control) {
	env := c.environment(t, "acme")
	a, b := c.setup(t, env, "a"), c.setup(t, env, "b")
	c.setup(t, env, "c")
	require.NoError(t, store.Setups(c).Delete(t.Context(), env.ID, "a"))
	require.NoError(t, store.Setups(c).Delete(t.Context(), env.ID, b.ID))
	requireKind(t, fault.NotFound, store.Setups(c).Delete(t.Context(), env.ID, "a"))
	requireKind(t, fault.NotFound, store.Setups(c).Delete(t.Context(), env.ID, a.ID))
	_, err := store.Setups(c).Replace(t.Context(), a)
	requireKind(t, fault.NotFound, err)
	require.Equal(t, []string{"c"}, c.list(t.Context(), t, env.ID))
	c.setup(t, env, "a") // the name is free again
	require.Equal(t, []string{"c", "a"}, c.list(t.Context(), t, env.ID))
}

func environmentsAreApart(t *testing.T, c *control) {
	acme, blue := c.environment(t, "acme"), c.environment(t, "blue")
	s := c.setup(t, acme, "quality")

	for _, name := range []string{s.ExternalID, s.ID} {
		_, err := store.Setups(c).Get(t.Context(), blue.ID, name)
		requireKind(t, fault.NotFound, err)
		requireKind(t, fault.NotFound, store.Setups(c).Delete(t.Context(), blue.ID, name))
	}
	stolen := s
	stolen.EnvironmentID = blue.ID
	_, err := store.Setups(c).Replace(t.Context(), stolen)
	requireKind(t, fault.NotFound, err)
	require.Empty(t, c.list(t.Context(), t, blue.ID))

	got, err := store.Setups(c).Get(t.Context(), acme.ID, s.ID)
	require.NoError(t, err)
	require.Equal(t, s, got)
}
