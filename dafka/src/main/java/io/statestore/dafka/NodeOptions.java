package io.statestore.dafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * How a node reaches others: what producers, consumers and stores have in common.
 * Immutable; see {@link #builder()}.
 *
 * @param towers through which nodes find each other, at least one; all of them are used
 * @param bindHost the address to listen on, {@code *} by default for all
 * @param bindPort the port to listen on, 0 by default for a free one
 * @param advertisedHost where others reach this node, or empty to let the tower tell from
 * the connection
 * @param highWaterMark how many messages may wait for each peer, in each direction,
 * 10,000 by default
 * @param socketBuffer how many bytes are written to or read from a connection at once,
 * and the buffer of the operating system for it; 256 KiB by default. Smaller ones stall
 * on fast networks, larger ones help over long distances; each peer costs so much memory
 * @param maxMessageSize the largest message taken from a peer, in bytes; whoever sends
 * more is disconnected; 16 MiB by default
 * @param beaconInterval between two beacons, 1 s by default
 * @param peerTimeout after how long without beacon a peer that is not connected is
 * forgotten, 4 s by default
 * @param stallTimeout how long a peer that does not read may hold up all the others
 * before messages to it are dropped (and fetched by it later), 1 s by default
 * @param connectionTimeout after how long without a sign of life a connection counts as
 * dead and is made anew, 10 s by default; also that of a peer that reads nothing for so
 * long while its queue is full: it fetches later what it missed
 * @param linger how long close waits for written messages to leave, 1 s by default
 * @param ticker the clock of all timers
 */
public record NodeOptions(List<TowerAddress> towers, String bindHost, int bindPort, String advertisedHost,
		int highWaterMark, int socketBuffer, long maxMessageSize, Duration beaconInterval, Duration peerTimeout,
		Duration stallTimeout, Duration connectionTimeout, Duration linger, Ticker ticker) {

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

	/** Options to change, all at their defaults. */
	public static Builder builder() {
		return new Builder();
	}

	/** Defaults with one tower on the default ports. */
	public static NodeOptions tower(String host) {
		return builder().tower(host).build();
	}

	/** Named options; see the components of {@link NodeOptions}. */
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

		private Ticker ticker = Ticker.SYSTEM;

		private Builder() {
		}

		/** Adds a tower on the default ports. */
		public Builder tower(String host) {
			return tower(TowerAddress.of(host));
		}

		/** Adds a tower. */
		public Builder tower(TowerAddress tower) {
			this.towers.add(tower);
			return this;
		}

		public Builder bindHost(String bindHost) {
			this.bindHost = bindHost;
			return this;
		}

		public Builder bindPort(int bindPort) {
			this.bindPort = bindPort;
			return this;
		}

		public Builder advertisedHost(String advertisedHost) {
			this.advertisedHost = advertisedHost;
			return this;
		}

		public Builder highWaterMark(int highWaterMark) {
			this.highWaterMark = highWaterMark;
			return this;
		}

		public Builder socketBuffer(int socketBuffer) {
			this.socketBuffer = socketBuffer;
			return this;
		}

		public Builder maxMessageSize(long maxMessageSize) {
			this.maxMessageSize = maxMessageSize;
			return this;
		}

		public Builder beaconInterval(Duration beaconInterval) {
			this.beaconInterval = beaconInterval;
			return this;
		}

		public Builder peerTimeout(Duration peerTimeout) {
			this.peerTimeout = peerTimeout;
			return this;
		}

		public Builder stallTimeout(Duration stallTimeout) {
			this.stallTimeout = stallTimeout;
			return this;
		}

		public Builder connectionTimeout(Duration connectionTimeout) {
			this.connectionTimeout = connectionTimeout;
			return this;
		}

		public Builder linger(Duration linger) {
			this.linger = linger;
			return this;
		}

		public Builder ticker(Ticker ticker) {
			this.ticker = ticker;
			return this;
		}

		public NodeOptions build() {
			return new NodeOptions(this.towers, this.bindHost, this.bindPort, this.advertisedHost, this.highWaterMark,
					this.socketBuffer, this.maxMessageSize, this.beaconInterval, this.peerTimeout, this.stallTimeout,
					this.connectionTimeout, this.linger, this.ticker);
		}

	}

}
