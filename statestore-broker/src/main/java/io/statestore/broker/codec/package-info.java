/**
 * The binary encoding of log entries and snapshots.
 */
@NullMarked
package io.statestore.broker.codec;

import org.jspecify.annotations.NullMarked;
