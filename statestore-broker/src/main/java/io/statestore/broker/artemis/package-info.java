/**
 * The embedded Apache Artemis broker, which serves ordinary MQTT messages. Only this
 * package and its subpackage use classes of Artemis. They also contain the workarounds
 * for its defects.
 * <p>
 * Internal: not part of the API.
 */
@NullMarked
package io.statestore.broker.artemis;

import org.jspecify.annotations.NullMarked;
