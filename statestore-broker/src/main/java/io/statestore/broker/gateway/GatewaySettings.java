package io.statestore.broker.gateway;

import java.time.Duration;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;

import io.statestore.broker.memory.MemoryBudget;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a gateway.
 *
 * @param host name or address of the broker
 * @param port port of the broker
 * @param clientId MQTT client id, the same for all gateways of a broker
 * @param username user name, or {@code null} for none
 * @param password password, or {@code null} for none
 * @param tls returns the TLS context for a new connection, or {@code null} for plain TCP
 * @param watchLease time after the last request of a client until its watches end
 * @param administration whether administration requests are answered
 * @param budget limits the memory that clients hold
 */
record GatewaySettings(String host, int port, String clientId, @Nullable String username, @Nullable String password,
		@Nullable Supplier<SSLContext> tls, Duration watchLease, boolean administration, MemoryBudget budget) {

	/** Largest property length of a message that the gateway decodes, in bytes. */
	static final int MAX_PROPERTIES_SIZE = 64 * 1024;

	private static final int MAX_PACKET_SIZE = 64 * 1024 * 1024;

	/** Returns the size of the largest packet that the gateway accepts, in bytes. */
	int maxPacketSize() {
		return (int) Math.min(MAX_PACKET_SIZE, this.budget.maxBytesPerClient());
	}

	/** Returns the URI of the broker, for messages and logs. */
	String broker() {
		return ((this.tls != null) ? "mqtts://" : "mqtt://") + this.host + ':' + this.port;
	}

	@Override
	public String toString() {
		return broker() + " as '" + this.clientId + "'";
	}

}
