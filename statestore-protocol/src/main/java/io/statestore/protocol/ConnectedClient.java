package io.statestore.protocol;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * An MQTT client that is connected to a broker.
 *
 * @param client the MQTT client id
 * @param principal the name of the client's principal, or {@code null} if the client is
 * anonymous
 * @param address the client's network address and port, or {@code null} if unknown
 * @param connected how long the client has been connected
 */
public record ConnectedClient(String client, @Nullable String principal, @Nullable String address, Duration connected) {
}
