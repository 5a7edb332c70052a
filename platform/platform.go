// Package platform opens terminals and starts, recognises and ends processes on the running system.
package platform
