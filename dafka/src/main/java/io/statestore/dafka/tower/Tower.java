package io.statestore.dafka.tower;

import io.statestore.dafka.CurveOptions;
import io.statestore.dafka.TowerAddress;
import io.statestore.dafka.internal.Options;
import io.statestore.dafka.node.internal.TowerServer;
import org.jspecify.annotations.Nullable;

/**
 * Relay for beacons, through which nodes find each other. A tower does not receive
 * records. Nodes that have found each other continue without it. Several towers may run;
 * each node uses all towers listed in its options.
 * <p>
 * Each tower has one thread. All methods are thread-safe.
 */
public final class Tower implements AutoCloseable {

	private final TowerServer server;

	private Tower(Builder options) {
		this.server = new TowerServer(options.bindHost, options.inPort, options.outPort, options.advertisedHost,
				options.curve);
	}

	/**
	 * Returns a builder with default options: all addresses, ports 5556 and 5557.
	 * @return a new builder
	 */
	public static Builder builder() {
		return new Builder();
	}

	/**
	 * Returns the address at which nodes on this machine reach this tower.
	 * @return an address with the bound ports
	 */
	public TowerAddress address() {
		return this.server.address();
	}

	/**
	 * Returns the number of relayed beacons.
	 * @return number since the start
	 */
	public long beacons() {
		return this.server.beacons();
	}

	/**
	 * Returns how many messages were dropped because they are not beacons.
	 * @return number since the start
	 */
	public long malformed() {
		return this.server.malformed();
	}

	/**
	 * Returns the number of times that a connection was closed or a message dropped
	 * because a peer violated ZMTP or exceeded a limit.
	 * @return number of refusals since the start
	 */
	public long refused() {
		return this.server.refused();
	}

	/**
	 * Returns the failure that stopped this tower, for health checks.
	 * @return the failure; {@code null} if there is none
	 */
	public @Nullable Throwable failure() {
		return this.server.failure();
	}

	/**
	 * Stops this tower. Idempotent. Waits at most 10 s. Nodes that have found each other
	 * are not affected.
	 */
	@Override
	public void close() {
		this.server.close();
	}

	/** Builder of a {@link Tower}. */
	public static final class Builder {

		private String bindHost = "*";

		private int inPort = TowerAddress.DEFAULT_IN_PORT;

		private int outPort = TowerAddress.DEFAULT_OUT_PORT;

		private @Nullable String advertisedHost;

		private @Nullable CurveOptions curve;

		private Builder() {
		}

		/**
		 * Sets the address to listen on, {@code *} by default for all addresses.
		 * @param bindHost a local address
		 * @return this builder
		 */
		public Builder bindHost(String bindHost) {
			this.bindHost = Options.requireHost("bindHost", bindHost);
			return this;
		}

		/**
		 * Sets the port that receives beacons from nodes, 5556 by default.
		 * @param inPort the port, 0 for any free port
		 * @return this builder
		 */
		public Builder inPort(int inPort) {
			this.inPort = Options.requirePort("inPort", inPort, 0);
			return this;
		}

		/**
		 * Sets the port that sends beacons to nodes, 5557 by default.
		 * @param outPort the port, 0 for any free port
		 * @return this builder
		 */
		public Builder outPort(int outPort) {
			this.outPort = Options.requirePort("outPort", outPort, 0);
			return this;
		}

		/**
		 * Sets the host to announce for nodes on this machine that do not announce a host
		 * themselves. Defaults to {@code bindHost} if set, otherwise to this machine's
		 * first non-loopback address.
		 * @param advertisedHost host name or IP address
		 * @return this builder
		 */
		public Builder advertisedHost(String advertisedHost) {
			this.advertisedHost = Options.requireHost("advertisedHost", advertisedHost);
			return this;
		}

		/**
		 * Sets the keys for encryption and authentication. Ignores the tower names in
		 * these options.
		 * @param curve the keys, {@code null} by default for neither
		 * @return this builder
		 */
		public Builder curve(@Nullable CurveOptions curve) {
			this.curve = curve;
			return this;
		}

		/**
		 * Binds the ports and starts the tower.
		 * @return a running tower
		 * @throws io.statestore.dafka.DafkaException if a port cannot be bound
		 * @throws IllegalArgumentException if a key file is missing or malformed
		 */
		public Tower start() {
			return new Tower(this);
		}

	}

}
