/**
 * The state store with an embedded MQTT 5 broker, for applications and tests that run it
 * in their own JVM. {@link io.statestore.broker.StateStoreBroker} is the entry point.
 */
@NullMarked
package io.statestore.broker;

import org.jspecify.annotations.NullMarked;
