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
 * An MQTT broker with a state store for tests. It listens on a free port of localhost,
 * keeps its data in memory, and keeps its port when it restarts. Safe for use by several
 * threads.
 *
 * <pre>{@code
 * try (TestBroker broker = TestBroker.builder().start()) {
 *     connectTo(broker.host(), broker.port());
 *     broker.faults().replies().next(1).drop();
 * }
 * }</pre>
 */
public final class TestBroker implements AutoCloseable {

	/** Maximum time of the system to wait for clients that a fault has disconnected. */
	private static final Duration RECONNECT_TIMEOUT = Duration.ofSeconds(2);

	/** Interval of the checks for these clients. */
	private static final Duration RECONNECT_STEP = Duration.ofMillis(10);

	/** Controlled time, {@code null} for the time of the system. */
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
	 * Returns a builder of a broker on a free port.
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
	 * Returns the port on which this broker listens. It remains the same.
	 * @return the TCP port
	 */
	public int port() {
		return this.broker.port();
	}

	/**
	 * Returns the faults between this broker and its clients.
	 * @return the faults
	 */
	public StateStoreFaults faults() {
		return this.faults;
	}

	/**
	 * Connects a client. Blocks until it is connected.
	 * @param clientId the MQTT client id, unique among the clients of this broker
	 * @return the client, to be closed
	 */
	public TestClient connect(String clientId) {
		return connect(clientId, (options) -> {
		});
	}

	/**
	 * Connects a client with further options, such as a short request timeout. Blocks
	 * until it is connected.
	 * @param clientId the MQTT client id, unique among the clients of this broker
	 * @param options changes the options of the connection
	 * @return the client, to be closed
	 */
	public TestClient connect(String clientId, Consumer<ConnectionOptions.Builder> options) {
		return new TestClient(host(), port(), clientId, new ClientResources(timeSource()), options,
				() -> this.broker.absent.remove(clientId));
	}

	/**
	 * Makes the current content the initial one, to which {@link #reset()} returns. Keys
	 * with an expiry, such as the leases of locks, do not belong to it. Without this call
	 * the initial content is empty.
	 */
	public void keepContent() {
		this.broker.content.keep(this.broker.server());
	}

	/**
	 * Ends all faults, and returns the store to its initial content. Watchers are
	 * notified of each key that changes. Leases of locks, which are keys that were set
	 * with the condition {@code NEX} and an expiry, remain, because their holders rely on
	 * them.
	 * <p>
	 * First waits up to two seconds for clients that a fault has disconnected. Controlled
	 * time passes meanwhile, because clients wait before they reconnect.
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

	/** Stops the broker. Its content is lost. Has no effect the second time. */
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
		 * Sets the port, for a client whose configuration requires a fixed one.
		 * @param port the TCP port. Default 0, which selects a free one
		 * @return this builder
		 */
		public Builder port(int port) {
			this.port = port;
			return this;
		}

		/**
		 * Lets the test control the time: of keys and leases, of delays, and of the
		 * clients that {@link TestBroker#connect} connects.
		 * @param time the time. Default the time of the system
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
