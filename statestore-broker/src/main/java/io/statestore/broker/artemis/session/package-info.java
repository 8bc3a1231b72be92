/**
 * MQTT sessions, subscriptions, and topics in Artemis: limits on their memory, and
 * removal of what Artemis leaves behind.
 * <p>
 * Internal: not part of the API.
 */
@NullMarked
package io.statestore.broker.artemis.session;

import org.jspecify.annotations.NullMarked;
