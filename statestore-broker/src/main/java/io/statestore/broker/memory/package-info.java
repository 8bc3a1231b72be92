/**
 * Memory that clients may hold on a server: one budget for all clients, with a share for
 * each. Independent of MQTT and the store.
 */
@NullMarked
package io.statestore.broker.memory;

import org.jspecify.annotations.NullMarked;
