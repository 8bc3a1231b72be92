/**
 * MQTT sessions and ordinary messages on the disk: the journal of Artemis, and a file
 * with what Artemis does not keep of a session.
 * <p>
 * Internal: not part of the API.
 */
@NullMarked
package io.statestore.broker.artemis.disk;

import org.jspecify.annotations.NullMarked;
