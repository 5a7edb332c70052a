package hook

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/tidwall/gjson"

	"github.com/vexyart/vomgr/internal/assistant"
	"github.com/vexyart/vomgr/internal/atomicfile"
)

// JobFile is the file next to the hook that says what the helper has to start: the latest hand-over of that assistant.
type JobFile struct {
	Command []string
	Cwd     string
	Env     [][2]string // in order
}

// Marshal writes the job file: keys in their order, two spaces, no HTML escapes, no final newline.
func (j JobFile) Marshal() ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("{\n  \"command\": ")
	if err := value(&out, j.Command); err != nil {
		return nil, err
	}
	out.WriteString(",\n  \"cwd\": ")
	if err := value(&out, j.Cwd); err != nil {
		return nil, err
	}
	out.WriteString(",\n  \"env\": {")
	for i, kv := range j.Env {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n    ")
		if err := value(&out, kv[0]); err != nil {
			return nil, err
		}
		out.WriteString(": ")
		if err := value(&out, kv[1]); err != nil {
			return nil, err
		}
	}
	out.WriteString("\n  }\n}")
	return out.Bytes(), nil
}

func value(out *bytes.Buffer, v any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("  ", "  ")
	err := e.Encode(v)
	out.Truncate(len(bytes.TrimRight(out.Bytes(), "\n")))
	return err
}

// Write replaces the job file at path.
func (j JobFile) Write(path string) error {
	data, err := j.Marshal()
	if err != nil {
		return fmt.Errorf("writing the job file: %w", err)
	}
	if err := atomicfile.Write(path, data, 0o600); err != nil {
		return fmt.Errorf("writing the job file: %w", err)
	}
	return nil
}

// maxJobFile is the largest job file the helper reads, in bytes.
const maxJobFile = 1 << 20

// ReadJobFile reads the job file at path and checks that it says what to start and where.
func ReadJobFile(path string) (JobFile, error) {
	data, err := atomicfile.ReadFile(path)
	if err != nil {
		return JobFile{}, fmt.Errorf("job file %w", err)
	}
	if len(data) > maxJobFile {
		return JobFile{}, fmt.Errorf("job file %s: more than %d bytes", path, maxJobFile)
	}
	if !assistant.Sound(data) {
		return JobFile{}, fmt.Errorf("job file %s: not JSON", path)
	}
	doc := gjson.ParseBytes(data)
	var j JobFile
	command, cwd, env := doc.Get("command"), doc.Get("cwd"), doc.Get("env")
	if command.Exists() && (!command.IsArray() || !onlyStrings(command)) {
		return JobFile{}, fmt.Errorf("job file %s: command: want an array of strings", path)
	}
	if env.Exists() && (!env.IsObject() || !onlyStrings(env)) {
		return JobFile{}, fmt.Errorf("job file %s: env: want an object of strings", path)
	}
	for _, arg := range command.Array() {
		j.Command = append(j.Command, arg.String())
	}
	if cwd.Type == gjson.String {
		j.Cwd = cwd.String()
	}
	env.ForEach(func(k, v gjson.Result) bool {
		j.Env = append(j.Env, [2]string{k.String(), v.String()})
		return true
	})
	if len(j.Command) == 0 || j.Command[0] == "" || j.Cwd == "" {
		return JobFile{}, fmt.Errorf("job file %s: command and cwd are wanted", path)
	}
	return j, nil
}

// onlyStrings tells whether an array or object holds nothing but strings.
func onlyStrings(list gjson.Result) bool {
	only := true
	list.ForEach(func(_, v gjson.Result) bool {
		only = v.Type == gjson.String
		return only
	})
	return only
}
