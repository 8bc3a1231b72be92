/**
 * The state store protocol as used by client and server: commands, replies, notifications
 * and their encoding, topics, user properties, hybrid logical clocks, and error reasons.
 * This package performs no I/O, starts no threads, and has no dependencies.
 */
@NullMarked
package io.statestore.protocol;

import org.jspecify.annotations.NullMarked;
