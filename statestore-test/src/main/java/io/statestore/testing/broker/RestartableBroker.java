package io.statestore.testing.broker;

import java.util.function.Function;

import io.statestore.broker.memory.HeapPlan;
import io.statestore.broker.memory.Limits;
import io.statestore.broker.mqtt.MqttBroker;
import io.statestore.broker.mqtt.MqttBrokerSettings;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.StateStoreServerOptions;
import org.jspecify.annotations.Nullable;

/**
 * A store behind an MQTT broker that restarts on the same port. Thread-safe.
 */
final class RestartableBroker implements BrokerControl, AutoCloseable {

	static final String HOST = "localhost";

	private static final int MAX_PACKET_SIZE = 16 * 1024 * 1024;

	private final Limits limits = HeapPlan.ofThisJvm().limits();

	private final StateStoreServerOptions options;

	private final FaultListener listener;

	private final int port;

	private volatile StateStoreServer server;

	/** Running broker, {@code null} if it is stopped. */
	private @Nullable MqttBroker mqtt;

	/** Occupies the port of the stopped broker. */
	private @Nullable PortGuard guard;

	private boolean closed;

	/**
	 * Starts a broker.
	 * @param port the port, 0 for a free one
	 * @param options options of the store
	 * @param traffic returns the shared state of its connections
	 * @throws IllegalStateException if the broker cannot listen
	 */
	RestartableBroker(int port, StateStoreServerOptions options, Function<BrokerControl, TestTraffic> traffic) {
		this.options = options;
		this.server = new StateStoreServer(options);
		this.listener = new FaultListener(traffic.apply(this), this.server);
		MqttBroker mqtt;
		try {
			mqtt = listen(port);
		}
		catch (RuntimeException ex) {
			this.server.close();
			throw ex;
		}
		this.mqtt = mqtt;
		this.port = mqtt.port();
	}

	private MqttBroker listen(int port) {
		int packetSize = (int) Math.min(MAX_PACKET_SIZE, this.limits.newBudget().maxBytesPerClient());
		MqttBrokerSettings settings = new MqttBrokerSettings(HOST, port, packetSize).withTime(this.options.time());
		return MqttBroker.start(settings, this.listener, this.limits.newBudget());
	}

	int port() {
		return this.port;
	}

	/** Returns the store, which a restart may replace. */
	StateStoreServer server() {
		return this.server;
	}

	FaultListener listener() {
		return this.listener;
	}

	@Override
	public synchronized void stop() {
		if (this.mqtt != null) {
			this.listener.stopping();
			this.mqtt.close();
			this.mqtt = null;
			this.guard = new PortGuard(HOST, this.port);
		}
	}

	@Override
	public synchronized void start() {
		if (this.mqtt != null || this.closed) {
			return;
		}
		releasePort();
		try {
			this.mqtt = listen(this.port);
		}
		catch (IllegalStateException ex) {
			throw new IllegalStateException("The broker of the test could not restart on its port " + this.port
					+ ". Another process may have taken the port in the meantime. Run the test again", ex);
		}
	}

	@Override
	public synchronized void restart(boolean keepsContent) {
		stop();
		if (!keepsContent && !this.closed) {
			this.server.close();
			this.server = new StateStoreServer(this.options);
			this.listener.serve(this.server);
		}
		start();
	}

	private void releasePort() {
		if (this.guard != null) {
			this.guard.close();
			this.guard = null;
		}
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		releasePort();
		if (this.mqtt != null) {
			this.mqtt.close();
			this.mqtt = null;
		}
		this.server.close();
	}

}
