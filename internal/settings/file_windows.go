package settings

import (
	"io/fs"
	"os"
)

func open(path string) (*os.File, error) { return os.Open(path) }

// trusted holds for every file: a mode means nothing here, and a profile folder is closed to other users by default.
func trusted(fs.FileInfo) error { return nil }
