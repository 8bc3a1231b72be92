/**
 * The connection behind {@code StateStoreConnection}: its links, each one network
 * connection on Netty, its subscriptions, and its calls. Not part of the API.
 */
@NullMarked
package io.statestore.client.mqtt.internal;

import org.jspecify.annotations.NullMarked;
