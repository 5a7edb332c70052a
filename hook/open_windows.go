package hook

import "os"

// nonBlocking is nothing on Windows: there are no FIFOs in a folder.
const nonBlocking = 0

// foreignOwner is not judged on Windows, where a file's owner is often a group.
func foreignOwner(os.FileInfo) bool { return false }
