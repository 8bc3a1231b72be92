package io.statestore.client.mqtt;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Status of a connection at one moment, for health checks and meters.
 *
 * @param connected whether there is a connection
 * @param broker host of the connection, {@code null} while disconnected
 * @param duration time since the connection was established or lost. Before the first
 * connection, time since the connection object was created
 * @param reconnects number of connections after the first
 * @param problem why there is no connection, and what to do; {@code null} while connected
 */
public record ConnectionStatus(boolean connected, @Nullable BrokerAddress broker, Duration duration, long reconnects,
		@Nullable String problem) {

	/**
	 * Latest round trip over a connection: a request and its reply.
	 *
	 * @param age time since the reply arrived
	 * @param duration time from the sending of the request to the arrival of its reply
	 */
	public record RoundTrip(Duration age, Duration duration) {
	}

}
