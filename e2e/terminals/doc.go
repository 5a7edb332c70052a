// Package terminals tests that vomgr opens every terminal it knows: real emulators on an X server without a screen, multiplexers, a nested Wayland compositor, with a stand-in for the assistant.
//
// Its tests carry the build tag e2e; e2e/terminals/run starts them.
package terminals
