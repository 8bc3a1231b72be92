/**
 * The state store protocol, shared by clients and servers: commands, replies,
 * notifications, and their encoding in RESP; topics, user properties, versions, and error
 * reasons. This package performs no I/O, starts no threads, and has no dependencies.
 */
@NullMarked
package io.statestore.protocol;

import org.jspecify.annotations.NullMarked;
