/**
 * The memory that clients may hold on this server: one budget for all of them, with a
 * share for each. Knows nothing of MQTT or of the store.
 */
@NullMarked
package io.statestore.broker.memory;

import org.jspecify.annotations.NullMarked;
