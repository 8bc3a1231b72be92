package io.statestore.client.mqtt;

import java.time.Duration;

/**
 * Latest round trip over a connection: a request and its reply.
 *
 * @param age time since the reply arrived
 * @param duration time from the sending of the request to the arrival of its reply
 */
public record RoundTrip(Duration age, Duration duration) {
}
