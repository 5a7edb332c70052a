// Command adhoc signs a Mach-O file ad hoc, with the identifier of vomgr: for releases made without a Developer ID.
//
// Go's linker signs arm64 files only, and calls them all a.out; amd64 files it leaves without a signature.
package main

import (
	"fmt"
	"os"

	"github.com/goreleaser/quill/quill"
)

const identifier = "com.vexyart.vomgr"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: adhoc FILE")
		os.Exit(2)
	}
	if err := sign(os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "adhoc: %v\n", err)
		os.Exit(1)
	}
}

// sign replaces whatever signature the file has; without a certificate quill signs ad hoc.
func sign(path string) error {
	c, err := quill.NewSigningConfigFromPEMs(path, "", "", "", false)
	if err != nil {
		return fmt.Errorf("preparing to sign %s: %w", path, err)
	}
	if err := quill.Sign(*c.WithIdentity(identifier)); err != nil {
		return fmt.Errorf("signing %s: %w", path, err)
	}
	return nil
}
