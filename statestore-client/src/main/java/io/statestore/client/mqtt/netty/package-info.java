/**
 * Links by our own connection on Netty, an optional dependency. Internal: not part of the
 * API.
 */
@NullMarked
package io.statestore.client.mqtt.netty;

import org.jspecify.annotations.NullMarked;
