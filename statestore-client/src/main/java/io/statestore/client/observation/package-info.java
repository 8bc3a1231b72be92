/**
 * Observations of keys that survive the connection: what every listener is built on.
 * Entered through {@link io.statestore.client.observation.KeyObservations}.
 * {@code KeyMachine} is the life of one observed key, {@code SeenVersions} what it knows,
 * {@code Subscriber} and {@code Lane} the way of a change to one listener.
 */
@NullMarked
package io.statestore.client.observation;

import org.jspecify.annotations.NullMarked;
