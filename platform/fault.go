package platform

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var placeholders = []string{"{command}", "{project}", "{helper}", "{job}"}

// placeholder is what looks like one: not ${NAME}, which is a shell's, nor what a shell's braces hold.
var placeholder = regexp.MustCompile(`(^|[^$])(\{[A-Za-z_-]+\}|\{(command|project|helper|job)\b)`)

// TemplateFault says why a template of the settings does not do what it is meant to, at least in some folders; "" when
// nothing is known against it.
func TemplateFault(template []string) string {
	if len(template) == 0 || len(template) == 1 && template[0] == Auto {
		return ""
	}
	if why := programFault(template[0]); why != "" {
		return why
	}
	for _, arg := range template {
		for _, m := range placeholder.FindAllStringSubmatch(arg, -1) {
			if !slices.Contains(placeholders, m[2]) {
				return m[2] + " is no placeholder; there are " + strings.Join(placeholders, ", ")
			}
		}
	}
	names := func(arg string) bool { return strings.Contains(arg, "{command}") || strings.Contains(arg, "{helper}") }
	if !slices.ContainsFunc(template, names) {
		return "it names neither {command} nor {helper} {job}, so nothing starts in what it opens"
	}
	hostile := Request{Helper: "/h/a 'b", Job: "job00000", Project: "/p/a 'b", Template: template}
	if _, err := fill(hostile, systemShell); err != nil {
		return err.Error()
	}
	return ""
}

// programFault says why a template's first word can name no program.
func programFault(program string) string {
	switch {
	case strings.EqualFold(program, Auto):
		return `"auto" stands alone, in small letters`
	case strings.Contains(program, "{command}"):
		return `the first text is a program, as in ["sh", "-c", "{command}"]`
	case strings.HasPrefix(program, "~"):
		return "~ stands for nothing here; write the whole path"
	case !absolute(program) && strings.ContainsAny(program, " \t"):
		return fmt.Sprintf("each word is a text of its own, %q one", strings.Fields(program + " x")[0])
	case !absolute(program) && strings.ContainsAny(program, `/\`):
		return "a relative path is not looked up; write the whole one"
	}
	return ""
}

// absolute says that a program is named by its whole path, or will be.
func absolute(program string) bool {
	return strings.HasPrefix(program, "/") || strings.HasPrefix(program, "{helper}") || systemShell == cmdExe && len(program) > 2 && program[1] == ':'
}
