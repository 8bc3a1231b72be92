/**
 * MQTT sessions and ordinary messages on the disk: the journal of Artemis, and a file for
 * the parts of sessions that Artemis does not store.
 * <p>
 * Internal: not part of the API.
 */
@NullMarked
package io.statestore.broker.artemis.disk;

import org.jspecify.annotations.NullMarked;
