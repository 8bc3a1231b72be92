package io.statestore.boot.actuate;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import io.statestore.client.mqtt.ConnectionStatus;
import io.statestore.client.mqtt.StateStoreConnection;
import org.jspecify.annotations.Nullable;

/**
 * Description of a connection, as shown by the health indicator and the endpoint.
 * Durations are in ISO 8601 format.
 *
 * @param broker address of the host in use; while disconnected, addresses of all hosts
 * @param clientId MQTT client ID
 * @param connected whether the client is connected
 * @param since time when the connection was established or lost
 * @param problem why there is no connection and what to do; {@code null} while connected
 * @param reconnects number of reconnects since startup
 * @param pendingCalls number of calls waiting to be sent or for a reply
 * @param lastRoundTrip latest round trip; {@code null} before the first
 * @param clockOffset how far the store's clock is ahead of this machine's; {@code null}
 * before the first confirmed {@code SET}
 */
@JsonInclude(Include.NON_NULL)
public record ConnectionDescriptor(String broker, String clientId, boolean connected, Instant since,
		@Nullable String problem, long reconnects, int pendingCalls, @Nullable RoundTripDescriptor lastRoundTrip,
		@Nullable String clockOffset) {

	static ConnectionDescriptor of(StateStoreConnection connection) {
		ConnectionStatus status = connection.status();
		return new ConnectionDescriptor(connection.getUrl(), connection.getClientId(), status.connected(),
				Instant.now().minus(status.duration()).truncatedTo(ChronoUnit.SECONDS), status.problem(),
				status.reconnects(), connection.pendingCalls(),
				connection.lastRoundTrip()
					.map((latest) -> new RoundTripDescriptor(latest.age().truncatedTo(ChronoUnit.MILLIS).toString(),
							latest.duration().truncatedTo(ChronoUnit.MICROS).toString()))
					.orElse(null),
				connection.clockOffset().map(Object::toString).orElse(null));
	}

	/**
	 * Description of a round trip.
	 *
	 * @param age time since the reply
	 * @param duration time from the request to the reply
	 */
	public record RoundTripDescriptor(String age, String duration) {
	}

}
