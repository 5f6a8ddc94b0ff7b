// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"

	"github.com/spf13/cobra"
)

func (a *app) alerts() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "alerts",
		Short: "List alerts, or apply them from files",
		Example: `  touchstone alerts
  touchstone alerts apply alerts.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.listAlerts(cmd.Context()) },
	}
	cmd.AddCommand(a.applyAlerts())
	return cmd
}

// shownAlert is what tables show of an alert of the API.
type shownAlert struct {
	Name      string `json:"name"`
	Metric    string `json:"metric"`
	Evaluator string `json:"evaluator"`
	Status    string `json:"status"`
	Groups    []any  `json:"groups"`
	UpdatedAt string `json:"updated_at"`
}

func (a *app) listAlerts(ctx context.Context) error {
	all, raw, err := get[[]shownAlert](ctx, &a.client, alertsPath, nil)
	if err != nil {
		return err
	}
	if a.output == "json" {
		return a.json(raw)
	}
	rows := make([][]string, len(all))
	for i, s := range all {
		rows[i] = []string{line(s.Name, 60), s.Status, s.Metric, line(s.Evaluator, 40), strconv.Itoa(len(s.Groups)), s.UpdatedAt}
	}
	return a.rows([]string{"alert", "status", "metric", "evaluator", "groups", "updated"}, rows)
}

const alertsPath = "/v2/alerts"

func (a *app) applyAlerts() *cobra.Command {
	return &cobra.Command{
		Use:     "apply FILE…",
		Short:   "Create and replace alerts as files say",
		Example: "  touchstone alerts apply alerts.yaml",
		Long: `Reads alerts from YAML or JSON files, each one alert, a list of them, or {"alerts": [...]}, as POST /v2/alerts takes them.
An alert that is as its file says stays untouched, and so do alerts that no file names. ${NAME} in the url or secret of a
target is the environment variable of that name, so that files hold no secrets.`,
		RunE: func(cmd *cobra.Command, files []string) error {
			if len(files) == 0 {
				return usage("FILE is missing")
			}
			wanted, err := readAlerts(files)
			if err != nil {
				return err
			}
			return a.putAlerts(cmd.Context(), wanted)
		},
	}
}

// readAlerts reads the alerts of files. Every alert has a name, and no two have the same.
func readAlerts(files []string) ([]map[string]any, error) {
	var all []map[string]any
	from := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file) //nolint:gosec // the user named it
		if err != nil {
			return nil, usage("%s cannot be read: %w", file, err)
		}
		items, err := itemsOf(text, "alert")
		if err != nil {
			return nil, usage("%s: %w", file, err)
		}
		for i, item := range items {
			name, _ := item["name"].(string)
			if name == "" {
				return nil, usage("%s: alert %d has no name", file, i+1)
			}
			if other, ok := from[name]; ok {
				return nil, usage("%s: the name %q is in %s too", file, name, other)
			}
			from[name] = file
			if err := expandTargets(item); err != nil {
				return nil, usage("%s: alert %q: %w", file, name, err)
			}
		}
		all = append(all, items...)
	}
	return all, nil
}

var variable = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

// expandTargets replaces ${NAME} in what is secret of targets.
func expandTargets(item map[string]any) error {
	targets, _ := item["targets"].([]any)
	for i, one := range targets {
		target, _ := one.(map[string]any)
		for _, field := range []string{"url", "secret"} {
			text, is := target[field].(string)
			if !is {
				continue
			}
			var missing error
			target[field] = variable.ReplaceAllStringFunc(text, func(written string) string {
				name := written[2 : len(written)-1]
				value, found := os.LookupEnv(name)
				if !found {
					missing = fmt.Errorf("targets[%d].%s: the environment variable %s is not set", i, field, name)
				}
				return value
			})
			if missing != nil {
				return missing
			}
		}
	}
	return nil
}

// putAlerts creates alerts, or replaces those of their names, and tells what became of each.
func (a *app) putAlerts(ctx context.Context, wanted []map[string]any) error {
	there, _, err := get[[]shownAlert](ctx, &a.client, alertsPath, nil)
	if err != nil {
		return err
	}
	updated := map[string]string{}
	for _, s := range there {
		updated[s.Name] = s.UpdatedAt
	}
	results := make([]applied, 0, len(wanted))
	for _, w := range wanted {
		name, _ := w["name"].(string)
		before, known := updated[name]
		method, path := http.MethodPost, alertsPath
		if known {
			method, path = http.MethodPut, alertsPath+"/"+name
		}
		answered, err := a.client.ask(ctx, method, path, url.Values{}, w)
		if err != nil {
			var exit *exitError
			if errors.As(err, &exit) {
				return &exitError{exit.code, fmt.Errorf("alert %q: %w", name, exit.err)}
			}
			return err
		}
		var s shownAlert
		if err := json.Unmarshal(answered.body, &s); err != nil {
			return &exitError{ExitFailed, errors.New("the answer is not the API's: is --url the address of a collector?")}
		}
		result := applied{ExternalID: name, Action: "create"}
		switch {
		case known && s.UpdatedAt == before:
			result.Action = "none"
		case known:
			result.Action = "change"
		}
		results = append(results, result)
	}
	if a.output == "json" {
		shown := make([]map[string]string, len(results))
		for i, r := range results {
			shown[i] = map[string]string{"name": r.ExternalID, "action": r.Action}
		}
		b, err := json.Marshal(shown)
		if err != nil {
			return err
		}
		return a.json(b)
	}
	return a.tell(results)
}
