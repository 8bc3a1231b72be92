package io.statestore.dafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.statestore.dafka.internal.Options;
import org.jspecify.annotations.Nullable;

/**
 * Network options of producers, consumers, and stores. Immutable; see {@link #builder()}.
 *
 * @param towers towers through which nodes find each other, at least one; a node uses all
 * of them
 * @param bindHost address to listen on, {@code *} by default for all addresses
 * @param bindPort port to listen on, 0 by default for any free port
 * @param advertisedHost host that other nodes connect to, empty by default to use the
 * address seen by the tower
 * @param highWaterMark maximum number of messages waiting for each peer, 10,000 by
 * default
 * @param socketBuffer buffer size per connection, in this node and in the operating
 * system, in bytes; 256 KiB by default. Each peer uses this much memory. Increase it for
 * high-latency connections; small buffers stall on fast networks
 * @param maxMessageSize maximum size of a message from a peer, in bytes, 16 MiB by
 * default; peers that exceed it are disconnected
 * @param beaconInterval interval between beacons, 1 s by default
 * @param peerTimeout how long an unconnected peer is kept without receiving its beacons,
 * 4 s by default
 * @param stallTimeout how long a peer that does not read may delay the other peers, 1 s
 * by default; afterward, messages to this peer are dropped, and the peer fetches them
 * later
 * @param connectionTimeout inactivity after which a connection is re-established, 10 s by
 * default; also applies to a peer that does not read while its queue is full
 * @param linger how long {@code close} waits for queued messages to be transmitted, 1 s
 * by default
 * @param curve keys for encryption and authentication, {@code null} by default for
 * neither; either all nodes and towers in a network use keys, or none do
 * @param ticker clock used by all timers
 */
public record NodeOptions(List<TowerAddress> towers, String bindHost, int bindPort, String advertisedHost,
		int highWaterMark, int socketBuffer, long maxMessageSize, Duration beaconInterval, Duration peerTimeout,
		Duration stallTimeout, Duration connectionTimeout, Duration linger, @Nullable CurveOptions curve,
		Ticker ticker) {

	/**
	 * Creates options.
	 * @throws IllegalArgumentException if an option is invalid
	 */
	public NodeOptions {
		towers = List.copyOf(towers);
		Options.require(!towers.isEmpty(), "towers", "empty", "at least one tower");
		Options.requireHost("bindHost", bindHost);
		Options.requirePort("bindPort", bindPort, 0);
		if (!advertisedHost.isEmpty()) {
			Options.requireHost("advertisedHost", advertisedHost);
		}
		Options.requireAtLeast("highWaterMark", highWaterMark, 1);
		Options.requireAtLeast("socketBuffer", socketBuffer, 8 << 10);
		Options.requireAtLeast("maxMessageSize", maxMessageSize, 1024);
		Options.requireDuration("beaconInterval", beaconInterval, Duration.ofMillis(1));
		Options.requireDuration("peerTimeout", peerTimeout, beaconInterval);
		Options.requireDuration("stallTimeout", stallTimeout, Duration.ofMillis(1));
		Options.requireDuration("connectionTimeout", connectionTimeout, Duration.ofMillis(100));
		Options.requireDuration("linger", linger, Duration.ZERO);
	}

	/**
	 * Returns a copy with another port.
	 * @param bindPort port to listen on, 0 for any free port
	 * @return new options
	 * @throws IllegalArgumentException if the port is invalid
	 */
	public NodeOptions withBindPort(int bindPort) {
		return new NodeOptions(this.towers, this.bindHost, bindPort, this.advertisedHost, this.highWaterMark,
				this.socketBuffer, this.maxMessageSize, this.beaconInterval, this.peerTimeout, this.stallTimeout,
				this.connectionTimeout, this.linger, this.curve, this.ticker);
	}

	/**
	 * Returns a builder with default options, without towers.
	 * @return a new builder
	 */
	public static Builder builder() {
		return new Builder();
	}

	/**
	 * Returns default options with one tower on the default ports.
	 * @param host name or IP address of the tower's host
	 * @return options with one tower
	 * @throws IllegalArgumentException if the host is not valid
	 */
	public static NodeOptions tower(String host) {
		return builder().tower(host).build();
	}

	/**
	 * Builder of {@link NodeOptions}; see its components. Options are checked by
	 * {@link #build()}. Not thread-safe.
	 */
	public static final class Builder {

		private final List<TowerAddress> towers = new ArrayList<>();

		private String bindHost = "*";

		private int bindPort;

		private String advertisedHost = "";

		private int highWaterMark = 10_000;

		private int socketBuffer = 256 << 10;

		private long maxMessageSize = 16 << 20;

		private Duration beaconInterval = Duration.ofSeconds(1);

		private Duration peerTimeout = Duration.ofSeconds(4);

		private Duration stallTimeout = Duration.ofSeconds(1);

		private Duration connectionTimeout = Duration.ofSeconds(10);

		private Duration linger = Duration.ofSeconds(1);

		private @Nullable CurveOptions curve;

		private Ticker ticker = Ticker.SYSTEM;

		private Builder() {
		}

		/**
		 * Adds a tower on the default ports.
		 * @param host name or IP address of the tower's host
		 * @return this builder
		 */
		public Builder tower(String host) {
			return tower(TowerAddress.of(host));
		}

		/**
		 * Adds a tower.
		 * @param tower address to add to the towers of this builder
		 * @return this builder
		 */
		public Builder tower(TowerAddress tower) {
			this.towers.add(tower);
			return this;
		}

		/**
		 * Sets the address to listen on.
		 * @param bindHost a local address, {@code *} for all
		 * @return this builder
		 */
		public Builder bindHost(String bindHost) {
			this.bindHost = bindHost;
			return this;
		}

		/**
		 * Sets the port to listen on.
		 * @param bindPort 0 to 65535, 0 for any free port
		 * @return this builder
		 */
		public Builder bindPort(int bindPort) {
			this.bindPort = bindPort;
			return this;
		}

		/**
		 * Sets the host that other nodes connect to.
		 * @param advertisedHost host name or IP address, empty to use the address seen by
		 * the tower
		 * @return this builder
		 */
		public Builder advertisedHost(String advertisedHost) {
			this.advertisedHost = advertisedHost;
			return this;
		}

		/**
		 * Sets the maximum number of messages waiting for each peer.
		 * @param highWaterMark at least 1
		 * @return this builder
		 */
		public Builder highWaterMark(int highWaterMark) {
			this.highWaterMark = highWaterMark;
			return this;
		}

		/**
		 * Sets the buffer size of each connection.
		 * @param socketBuffer size in bytes, at least 8 KiB
		 * @return this builder
		 */
		public Builder socketBuffer(int socketBuffer) {
			this.socketBuffer = socketBuffer;
			return this;
		}

		/**
		 * Sets the maximum size of a message from a peer.
		 * @param maxMessageSize size in bytes, at least 1 KiB
		 * @return this builder
		 */
		public Builder maxMessageSize(long maxMessageSize) {
			this.maxMessageSize = maxMessageSize;
			return this;
		}

		/**
		 * Sets the interval between beacons.
		 * @param beaconInterval 1 ms to a day
		 * @return this builder
		 */
		public Builder beaconInterval(Duration beaconInterval) {
			this.beaconInterval = beaconInterval;
			return this;
		}

		/**
		 * Sets how long an unconnected peer is kept without receiving its beacons.
		 * @param peerTimeout at least the beacon interval, at most a day
		 * @return this builder
		 */
		public Builder peerTimeout(Duration peerTimeout) {
			this.peerTimeout = peerTimeout;
			return this;
		}

		/**
		 * Sets how long a peer that does not read may delay all other peers.
		 * @param stallTimeout 1 ms to a day
		 * @return this builder
		 */
		public Builder stallTimeout(Duration stallTimeout) {
			this.stallTimeout = stallTimeout;
			return this;
		}

		/**
		 * Sets the inactivity after which a connection is re-established.
		 * @param connectionTimeout 100 ms to a day
		 * @return this builder
		 */
		public Builder connectionTimeout(Duration connectionTimeout) {
			this.connectionTimeout = connectionTimeout;
			return this;
		}

		/**
		 * Sets how long {@code close} waits for queued messages to be transmitted.
		 * @param linger 0 to a day
		 * @return this builder
		 */
		public Builder linger(Duration linger) {
			this.linger = linger;
			return this;
		}

		/**
		 * Sets the keys for encryption and authentication.
		 * @param curve the keys, {@code null} for neither
		 * @return this builder
		 */
		public Builder curve(@Nullable CurveOptions curve) {
			this.curve = curve;
			return this;
		}

		/**
		 * Sets the clock used by all timers.
		 * @param ticker a thread-safe clock
		 * @return this builder
		 */
		public Builder ticker(Ticker ticker) {
			this.ticker = ticker;
			return this;
		}

		/**
		 * Creates the options.
		 * @return options with the current values of this builder
		 * @throws IllegalArgumentException if an option is invalid
		 */
		public NodeOptions build() {
			return new NodeOptions(this.towers, this.bindHost, this.bindPort, this.advertisedHost, this.highWaterMark,
					this.socketBuffer, this.maxMessageSize, this.beaconInterval, this.peerTimeout, this.stallTimeout,
					this.connectionTimeout, this.linger, this.curve, this.ticker);
		}

	}

}
