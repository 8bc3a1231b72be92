/**
 * What both sides of the wire share: commands, replies, notifications and their RESP
 * form, topics, user properties, hybrid logical clocks and error reasons. No I/O, no
 * threads, no dependency.
 */
@NullMarked
package io.statestore.protocol;

import org.jspecify.annotations.NullMarked;
