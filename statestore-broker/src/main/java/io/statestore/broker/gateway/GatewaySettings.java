package io.statestore.broker.gateway;

import java.time.Duration;

import javax.net.ssl.SSLContext;

import io.statestore.broker.memory.MemoryBudget;
import org.jspecify.annotations.Nullable;

/**
 * Where the broker is and how the gateway behaves there.
 *
 * @param host name or address of the broker
 * @param port its port
 * @param clientId the same for every gateway of that broker
 * @param username {@code null} for none
 * @param password {@code null} for none
 * @param tls {@code null} for plain TCP
 * @param observationLease how long an observation outlives the last request of its client
 * @param budget limits the memory that clients hold
 */
record GatewaySettings(String host, int port, String clientId, @Nullable String username, @Nullable String password,
		@Nullable SSLContext tls, Duration observationLease, MemoryBudget budget) {

	/** Largest property length of a message that the gateway decodes, in bytes. */
	static final int MAX_PROPERTIES_SIZE = 64 * 1024;

	private static final int MAX_PACKET_SIZE = 64 * 1024 * 1024;

	/** Returns the size of the largest packet that the gateway accepts, in bytes. */
	int maxPacketSize() {
		return (int) Math.min(MAX_PACKET_SIZE, this.budget.maxBytesPerClient());
	}

	/** Where it connects to, for messages and logs. */
	String broker() {
		return ((this.tls != null) ? "mqtts://" : "mqtt://") + this.host + ':' + this.port;
	}

	@Override
	public String toString() {
		return broker() + " as '" + this.clientId + "'";
	}

}
