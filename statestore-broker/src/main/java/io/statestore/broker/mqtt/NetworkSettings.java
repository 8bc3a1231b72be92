package io.statestore.broker.mqtt;

import io.statestore.broker.security.ServerTls;
import org.jspecify.annotations.Nullable;

/**
 * Settings for an MQTT broker's connections before their CONNECT.
 * <p>
 * Internal: not part of the API.
 *
 * @param tls TLS for all connections, {@code null} for plain TCP
 * @param maxConnectionsPerAddress maximum number of open connections from one address
 */
public record NetworkSettings(@Nullable ServerTls tls, int maxConnectionsPerAddress) {

	/** Default for {@link #maxConnectionsPerAddress()}. */
	public static final int DEFAULT_CONNECTIONS_PER_ADDRESS = 4096;

	/** Plain TCP with default limits. */
	public static final NetworkSettings DEFAULT = new NetworkSettings(null, DEFAULT_CONNECTIONS_PER_ADDRESS);

	private static final int MIN_UNFINISHED = 16;

	/**
	 * Returns the maximum number of connections from one address without a complete
	 * CONNECT.
	 * @return a sixteenth of {@link #maxConnectionsPerAddress()}, at least 16
	 */
	int maxUnfinishedPerAddress() {
		return Math.max(MIN_UNFINISHED, this.maxConnectionsPerAddress / 16);
	}

	/**
	 * Returns a copy with TLS.
	 * @param tls TLS for all connections
	 * @return new settings
	 */
	public NetworkSettings withTls(ServerTls tls) {
		return new NetworkSettings(tls, this.maxConnectionsPerAddress);
	}

	/**
	 * Returns a copy with a different limit.
	 * @param maxConnectionsPerAddress maximum number of open connections from one address
	 * @return new settings
	 */
	public NetworkSettings withMaxConnectionsPerAddress(int maxConnectionsPerAddress) {
		return new NetworkSettings(this.tls, maxConnectionsPerAddress);
	}

}
