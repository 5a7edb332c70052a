package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What is wrong with a command line, said in the voice of the other messages.

// usage is wrong usage.
type usage struct{ error }

func (u usage) Unwrap() error { return u.error }

// kinds are the values that a flag of each type takes.
var kinds = map[string]string{
	"duration": "a length of time like 90m or 2h", "int": "a whole number", "bool": "true or false",
}

// wrongFlag says what is wrong with a flag, in place of pflag.
func wrongFlag(c *cobra.Command, err error) error {
	hint := c.CommandPath() + " --help"
	var unknown *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	var value *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		dashes := "--"
		if unknown.GetSpecifiedShortnames() != "" {
			dashes = "-"
		}
		err = fmt.Errorf("%s has no flag %s%s", called(c), dashes, name)
	case errors.As(err, &bare):
		err = fmt.Errorf("--%s needs %s after it", bare.GetFlag().Name, kindOf(bare.GetFlag()))
	case errors.As(err, &value):
		err = fmt.Errorf("--%s %s: want %s", value.GetFlag().Name, strconv.Quote(value.GetValue()), kindOf(value.GetFlag()))
	}
	return usage{withHint(err, "%s", hint)}
}

func kindOf(f *pflag.Flag) string {
	if kind, ok := kinds[f.Value.Type()]; ok {
		return kind
	}
	return "a value"
}

// called is how a person calls c, without vomgr itself.
func called(c *cobra.Command) string {
	return strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
}

// wants gives wrong arguments the usage status, and says what c takes instead of how many check counts.
func wants(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if check(c, args) == nil {
			return nil
		}
		given := "nothing"
		if len(args) > 0 {
			quoted := make([]string, len(args))
			for i, a := range args {
				quoted[i] = strconv.Quote(a)
			}
			given = strings.Join(quoted, " ")
		}
		form := strings.TrimSpace(strings.TrimPrefix(c.Use, c.Name()))
		if form == "" {
			form = "no argument"
		}
		return usage{withHint(fmt.Errorf("%s takes %s, and was given %s", called(c), form, given), "%s --help", c.CommandPath())}
	}
}
