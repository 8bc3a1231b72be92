package io.statestore.dafka.tower;

import io.statestore.dafka.CurveOptions;
import io.statestore.dafka.TowerAddress;
import io.statestore.dafka.internal.Options;
import io.statestore.dafka.node.internal.TowerServer;
import org.jspecify.annotations.Nullable;

/**
 * Relay for beacons, through which nodes find each other. A tower receives no records,
 * and nodes that have found each other continue without it. Several towers may run; each
 * node uses all towers in its options.
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
	 * Returns the address of this tower for nodes on this machine, with the bound ports.
	 * @return the address
	 */
	public TowerAddress address() {
		return this.server.address();
	}

	/**
	 * Returns the number of relayed beacons.
	 * @return number of beacons since the start
	 */
	public long beacons() {
		return this.server.beacons();
	}

	/**
	 * Returns the number of dropped messages that are not beacons.
	 * @return number of messages since the start
	 */
	public long malformed() {
		return this.server.malformed();
	}

	/**
	 * Returns how often a connection was closed or a message dropped because a peer
	 * violated ZMTP or exceeded a limit.
	 * @return number of refusals since the start
	 */
	public long refused() {
		return this.server.refused();
	}

	/**
	 * Returns the failure that ended the tower, for health checks.
	 * @return the failure, or {@code null} while the tower works
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
		 * @param bindHost the address
		 * @return this builder
		 */
		public Builder bindHost(String bindHost) {
			this.bindHost = Options.requireHost("bindHost", bindHost);
			return this;
		}

		/**
		 * Sets the port that receives beacons from nodes, 5556 by default.
		 * @param inPort the port, 0 for a free one
		 * @return this builder
		 */
		public Builder inPort(int inPort) {
			this.inPort = Options.requirePort("inPort", inPort, 0);
			return this;
		}

		/**
		 * Sets the port that sends beacons to nodes, 5557 by default.
		 * @param outPort the port, 0 for a free one
		 * @return this builder
		 */
		public Builder outPort(int outPort) {
			this.outPort = Options.requirePort("outPort", outPort, 0);
			return this;
		}

		/**
		 * Sets the host that is announced for nodes on this machine which do not announce
		 * one themselves. By default, this is {@code bindHost} if it is set, otherwise
		 * the first address of this machine that is not a loopback address.
		 * @param advertisedHost host name or address
		 * @return this builder
		 */
		public Builder advertisedHost(String advertisedHost) {
			this.advertisedHost = Options.requireHost("advertisedHost", advertisedHost);
			return this;
		}

		/**
		 * Sets the keys for encryption and authentication. The names of towers in the
		 * options do not matter.
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
		 * @throws IllegalArgumentException if a file with keys is missing or malformed
		 */
		public Tower start() {
			return new Tower(this);
		}

	}

}
