package doctor

import "io/fs"

// foreign is not told by a file's mode here; the profile folder's own permissions count.
func foreign(fs.FileInfo) bool { return false }
