/**
 * The state store protocol as used by clients and servers: commands, replies, and
 * notifications with their encoding, topics, user properties, hybrid logical clocks, and
 * error reasons. This package does not perform I/O, start threads, or have dependencies.
 */
@NullMarked
package io.statestore.protocol;

import org.jspecify.annotations.NullMarked;
