// SPDX-License-Identifier: Apache-2.0

package keyauthextension

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func bearer(token string) map[string][]string {
	return map[string][]string{"authorization": {"Bearer " + token}}
}

func inFile(path string) func(*Config) {
	return func(c *Config) { c.AccessToken, c.AccessTokenFile = "", path }
}

func requireNotLogged(t *testing.T, logs *observer.ObservedLogs, secret string) {
	t.Helper()
	for _, entry := range logs.All() {
		require.NotContains(t, fmt.Sprint(entry.Message, entry.ContextMap()), secret)
	}
}

func TestTokenIsMadeOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	path := filepath.Join(dir, "access_token")
	l := newStoreProvider(t)

	k, logs, _ := started(t, l, inFile(path))
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Regexp(t, `^[A-Za-z0-9_-]{43}\n$`, string(content))
	token := strings.TrimSuffix(string(content), "\n")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	info, err = os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing else is left")
	require.Equal(t, path, logs.All()[0].ContextMap()["path"])
	require.True(t, principal(t, k, bearer(token)).Operator)

	again, moreLogs, _ := started(t, l, inFile(path))
	require.True(t, principal(t, again, bearer(token)).Operator)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, content, after)
	require.Len(t, moreLogs.All(), 1)
	requireNotLogged(t, logs, token)
	requireNotLogged(t, moreLogs, token)
}

func TestRacingStartsAgreeOnOneToken(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "access_token")
	tokens, errs := make([]token, 16), make([]error, 16)
	var wg sync.WaitGroup
	for i := range tokens {
		wg.Go(func() { tokens[i], errs[i] = tokenFile(path) })
	}
	wg.Wait()
	made := 0
	for i, got := range tokens {
		require.NoError(t, errs[i])
		require.Equal(t, tokens[0].tokens, got.tokens)
		if got.made {
			made++
		}
	}
	require.Equal(t, 1, made)
}

func TestConfiguredTokenNeedsNoFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "access_token")
	k, logs, _ := started(t, newStoreProvider(t), func(c *Config) { c.AccessTokenFile = path })
	require.NoFileExists(t, path)
	require.True(t, principal(t, k, bearer(operatorToken)).Operator)
	requireNotLogged(t, logs, operatorToken)
}

// Without a token and a file it is one whose digest the control store has; where that has
// none there would be no operator, and it does not start.
func TestTokenOfTheControlStore(t *testing.T) {
	t.Parallel()
	l := newStoreProvider(t)
	nowhere := func(c *Config) { c.AccessToken, c.AccessTokenFile = "", "" }
	cfg := createDefaultConfig().(*Config)
	nowhere(cfg)
	k, err := newExtension(cfg, nopSettings())
	require.NoError(t, err)
	require.EqualError(t, k.Start(t.Context(), host{cfg.Store: l}),
		`"access_token" or "access_token_file" is required where the control store has no access token: set one, or run touchstone access-token`)

	kept := l.control
	require.NoError(t, kept.RenewAccessToken(t.Context(), tenant.DigestOf("token-one"), true))
	first, logs, _ := started(t, l, nowhere)
	require.True(t, principal(t, first, bearer("token-one")).Operator)
	require.Empty(t, logs.All())
	require.NoError(t, kept.RenewAccessToken(t.Context(), tenant.DigestOf("token-two"), true))
	requireRefused(t, first, bearer("token-two"))
	second, logs, _ := started(t, l, nowhere)
	require.True(t, principal(t, second, bearer("token-one")).Operator)
	require.True(t, principal(t, second, bearer("token-two")).Operator)
	require.Equal(t, 1, logs.FilterMessageSnippet("two access tokens are valid").Len())
	configured, _, _ := started(t, l, nil)
	requireRefused(t, configured, bearer("token-two"))
}

// Two tokens are valid while callers go from one to the other.
func TestTokensAreRotated(t *testing.T) {
	t.Parallel()
	l := newStoreProvider(t)
	path := filepath.Join(t.TempDir(), "access_token")
	valid := func(change func(*Config), tokens ...string) {
		t.Helper()
		k, logs, _ := started(t, l, change)
		for _, token := range []string{"token-one", "token-two"} {
			if slices.Contains(tokens, token) {
				require.True(t, principal(t, k, bearer(token)).Operator)
			} else {
				requireRefused(t, k, bearer(token))
			}
			requireNotLogged(t, logs, token)
		}
		require.Equal(t, len(tokens) > 1, logs.FilterMessageSnippet("two access tokens are valid").Len() == 1)
	}
	for _, x := range []struct {
		lines string
		valid []string
	}{
		{"token-one\n", []string{"token-one"}},
		{"token-two\ntoken-one\n", []string{"token-one", "token-two"}},
		{"token-two\r\ntoken-one", []string{"token-one", "token-two"}},
		{"token-two", []string{"token-two"}},
	} {
		require.NoError(t, os.WriteFile(path, []byte(x.lines), 0o600))
		valid(inFile(path), x.valid...)
	}
	valid(func(c *Config) { c.AccessToken, c.PreviousAccessToken = "token-two", "token-one" }, "token-one", "token-two")
	valid(func(c *Config) { c.AccessToken = "token-two" }, "token-two")
}

func TestReadableTokenIsMadePrivate(t *testing.T) {
	t.Parallel()
	for _, mode := range []os.FileMode{0o644, 0o640, 0o604, 0o666} {
		path := filepath.Join(t.TempDir(), "access_token")
		require.NoError(t, os.WriteFile(path, []byte("a token of my own\r\n"), 0o600))
		require.NoError(t, os.Chmod(path, mode))
		k, logs, _ := started(t, newStoreProvider(t), inFile(path))
		require.True(t, principal(t, k, bearer("a token of my own")).Operator)
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		require.Equal(t, zapcore.WarnLevel, logs.All()[0].Level)
		requireNotLogged(t, logs, "of my own")
	}
}

func TestUnusableTokenFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"empty": "", "newline": "\n", "three lines": "secret\nsecret\nsecret\n", "empty line": "secret\n\n", "binary": "sec\x00ret", "padded": " secret",
		"long": strings.Repeat("secret", maxCredential),
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		_, err := tokenFile(path)
		require.ErrorContains(t, err, path)
		require.NotContains(t, err.Error(), "secret")
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, content, string(after), "an operator's file is never overwritten")
	}
	_, err := tokenFile(dir)
	require.ErrorContains(t, err, "not a regular file")
	_, err = tokenFile(filepath.Join(dir, "empty", "access_token"))
	require.Error(t, err)
	require.NoError(t, os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "dangling")))
	_, err = tokenFile(filepath.Join(dir, "dangling"))
	require.Error(t, err)
	require.NoFileExists(t, filepath.Join(dir, "nowhere"))

	k, err := newExtension(&Config{AccessTokenFile: filepath.Join(dir, "empty")}, nopSettings())
	require.NoError(t, err)
	l := newStoreProvider(t)
	require.ErrorContains(t, k.Start(t.Context(), host{k.cfg.Store: l}), `"access_token_file"`)
	require.NoError(t, k.Shutdown(t.Context()))
}
