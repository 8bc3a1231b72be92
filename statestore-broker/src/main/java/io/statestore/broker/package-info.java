/**
 * A state store with the MQTT 5 broker it lives in, for applications and tests that want
 * one in their own JVM: see {@link io.statestore.broker.StateStoreBroker}.
 */
@NullMarked
package io.statestore.broker;

import org.jspecify.annotations.NullMarked;
