// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
)

// RenewAccessToken makes a new access token for the control store of a configuration,
// with keep besides the one before it, and returns it, and the setting by which the
// configuration names another token.
type RenewAccessToken func(ctx context.Context, locations []string, keep bool) (token, own string, err error)

func (a *app) accessToken() *cobra.Command {
	var locations []string
	var keep bool
	c := &cobra.Command{
		Use:   "access-token",
		Short: "Create an access token for collectors without a configured one",
		Long: "Creates an access token, stores its digest in the control store that a collector's configuration names, and prints it once. " +
			"Collectors whose configuration has neither access_token nor access_token_file accept it from their next start or reload on. " +
			"If the configuration names a token itself, as config.yaml does, the command warns that collectors do not accept the new one.",
		Example: `  touchstone access-token --config gateway.yaml
  touchstone access-token --config gateway.yaml --keep`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(locations) == 0 {
				return usage("--config is required, as the collector has it")
			}
			token, own, err := a.stores.RenewAccessToken(cmd.Context(), locations, keep)
			if err != nil {
				return &exitError{ExitFailed, err}
			}
			if own != "" {
				_, _ = fmt.Fprintf(a.err, "touchstone: a collector with this configuration does not take the token, since %s names another\n", own)
			}
			if a.output == "json" {
				b, err := json.Marshal(map[string]string{"access_token": token})
				if err != nil {
					return err
				}
				return a.json(b)
			}
			_, err = fmt.Fprintln(a.out, token)
			return err
		},
	}
	c.Flags().StringArrayVar(&locations, "config", nil, "location of the configuration, as the collector takes it; may be repeated")
	c.Flags().BoolVar(&keep, "keep", false, "have the token before it stay valid until the next one is made")
	return c
}
