package io.statestore.protocol;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * An MQTT client that is connected to a broker.
 *
 * @param client the MQTT client id
 * @param principal the name of the principal that has logged in, or {@code null} if the
 * client is anonymous
 * @param address the network address and the port of the client, or {@code null} if they
 * are unknown
 * @param connected the time since it has connected
 */
public record ConnectedClient(String client, @Nullable String principal, @Nullable String address, Duration connected) {
}
