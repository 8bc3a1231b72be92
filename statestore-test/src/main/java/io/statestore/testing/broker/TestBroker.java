package io.statestore.testing.broker;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import io.statestore.broker.server.StateStoreServerOptions;
import io.statestore.client.ClientResources;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.testing.TestTime;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * An MQTT broker with a state store for tests. It listens on a free port on localhost,
 * keeps its data in memory, and keeps its port across restarts. Thread-safe. <pre>{@code
 * try (TestBroker broker = TestBroker.builder().start()) {
 * connectTo(broker.host(), broker.port());
 * broker.faults().replies().next(1).drop();
 * }
 * }</pre>
 */
public final class TestBroker implements AutoCloseable {

	/**
	 * How long to wait, by the system clock, for clients that a fault has disconnected.
	 */
	private static final Duration RECONNECT_TIMEOUT = Duration.ofSeconds(2);

	/** Interval between checks for these clients. */
	private static final Duration RECONNECT_STEP = Duration.ofMillis(10);

	/** Controlled time; {@code null} for the system clock. */
	private final @Nullable TestTime time;

	private final FaultyBroker broker;

	private final StateStoreFaults faults;

	private TestBroker(Builder builder) {
		this.time = builder.time;
		StateStoreServerOptions options = StateStoreServerOptions.defaults().withTime(timeSource());
		this.broker = new FaultyBroker(builder.port, options);
		this.faults = new StateStoreFaults(this.broker);
	}

	private TimeSource timeSource() {
		return (this.time != null) ? this.time : TimeSource.SYSTEM;
	}

	/**
	 * Returns a builder for a broker on a free port.
	 * @return a new builder
	 */
	public static Builder builder() {
		return new Builder();
	}

	/**
	 * Returns the host on which this broker listens.
	 * @return {@code localhost}
	 */
	public String host() {
		return FaultyBroker.HOST;
	}

	/**
	 * Returns the port on which this broker listens. A restart does not change it.
	 * @return the TCP port
	 */
	public int port() {
		return this.broker.port();
	}

	/**
	 * Returns the faults between this broker and its clients.
	 * @return faults that affect all clients of this broker
	 */
	public StateStoreFaults faults() {
		return this.faults;
	}

	/**
	 * Connects a client. Blocks until it is connected.
	 * @param clientId MQTT client ID, unique among the clients of this broker
	 * @return the client, which the caller must close
	 */
	public TestClient connect(String clientId) {
		return connect(clientId, (options) -> {
		});
	}

	/**
	 * Connects a client with custom options, such as a short request timeout. Blocks
	 * until it is connected.
	 * @param clientId MQTT client ID, unique among the clients of this broker
	 * @param options changes the connection options
	 * @return the client, which the caller must close
	 */
	public TestClient connect(String clientId, Consumer<ConnectionOptions.Builder> options) {
		return new TestClient(host(), port(), clientId, new ClientResources(timeSource()), options,
				() -> this.broker.absent.remove(clientId));
	}

	/**
	 * Makes the current content the initial content, to which {@link #reset()} returns.
	 * Keys with an expiry, such as lock leases, are not part of it. Without this call,
	 * the initial content is empty.
	 */
	public void keepContent() {
		this.broker.content.keep(this.broker.server());
	}

	/**
	 * Ends all faults and returns the store to its initial content. Watchers are notified
	 * of each key that changes. Lock leases, which are keys set with the condition
	 * {@code NEX} and an expiry, remain, because their holders rely on them.
	 * <p>
	 * First waits up to two seconds for clients that a fault has disconnected. Meanwhile,
	 * controlled time passes, because clients wait before they reconnect.
	 */
	public void reset() {
		this.faults.clear();
		awaitAbsentClients();
		this.broker.content.reset(this.broker.server());
	}

	private void awaitAbsentClients() {
		long start = System.nanoTime();
		while (!this.broker.absent.isEmpty() && System.nanoTime() - start < RECONNECT_TIMEOUT.toNanos()) {
			if (this.time != null) {
				this.time.advance(RECONNECT_STEP.multipliedBy(10));
			}
			LockSupport.parkNanos(RECONNECT_STEP.toNanos());
		}
		this.broker.absent.clear();
	}

	/** Stops the broker, whose content is lost. Idempotent. */
	@Override
	public void close() {
		this.broker.close();
	}

	@Override
	public String toString() {
		return "TestBroker[" + host() + ':' + port() + ']';
	}

	/** Builder for a {@link TestBroker}. Not thread-safe. */
	public static final class Builder {

		private int port;

		private @Nullable TestTime time;

		private Builder() {
		}

		/**
		 * Sets the port, for clients whose configuration requires a fixed port.
		 * @param port TCP port; 0 by default, for any free port
		 * @return this builder
		 */
		public Builder port(int port) {
			this.port = port;
			return this;
		}

		/**
		 * Lets the test control the time of keys, leases, delays, and the clients that
		 * {@link TestBroker#connect} connects.
		 * @param time controlled time; the system clock by default
		 * @return this builder
		 */
		public Builder time(TestTime time) {
			this.time = time;
			return this;
		}

		/**
		 * Starts a broker. Blocks until clients can connect.
		 * @return a running broker
		 * @throws IllegalStateException if the broker cannot listen; the message names
		 * host, port, and reason
		 */
		public TestBroker start() {
			return new TestBroker(this);
		}

	}

}
