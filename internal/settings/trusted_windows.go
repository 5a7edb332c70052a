package settings

import "io/fs"

// trusted holds for every file: a mode means nothing here, and a profile folder is closed to other users by default.
func trusted(fs.FileInfo) error { return nil }
