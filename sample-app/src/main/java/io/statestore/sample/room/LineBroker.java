package io.statestore.sample.room;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.storage.HistoryRetention;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.sample.room.RoomProperties.Broker;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * The line's broker, which can be restarted. Its data is in a directory:
 * docs/durability.md. An application whose broker need not be restarted sets
 * {@code statestore.embedded.*} properties instead.
 */
@Component
class LineBroker implements SmartLifecycle {

	private static final long PAUSE_MILLIS = 2_000;

	private static final Logger logger = LoggerFactory.getLogger(LineBroker.class);

	private final RoomProperties properties;

	private final int port;

	private final Line line;

	private final Brokers brokers;

	private @Nullable AutoCloseable broker;

	private boolean running;

	private boolean restarting;

	LineBroker(RoomProperties properties, @Value("${statestore.host}") String host,
			@Value("${statestore.port}") int port, Line line, Brokers brokers) {
		RoomProperties.require(host.equals("localhost") || host.equals("127.0.0.1"), "statestore.host", host,
				"The control room connects to the broker that it starts, which is available on this machine only. "
						+ "Remove the property, or start a press with it: --sample.name=press-3");
		this.properties = properties;
		this.port = port;
		this.line = line;
		this.brokers = brokers;
	}

	@Override
	public synchronized void start() {
		requireFreePorts();
		logger.info("The data is in {} and survives a restart. Delete the directory to start over",
				this.properties.data());
		this.running = true;
		begin();
	}

	/**
	 * Checks that the ports are free, because the broker would report the wrong property.
	 */
	private void requireFreePorts() {
		int count = this.brokers.isCluster() ? 2 * this.properties.brokers() : 1;
		for (int i = this.port; i < this.port + count; i++) {
			try (ServerSocket socket = new ServerSocket()) {
				socket.setReuseAddress(true);
				socket.bind(new InetSocketAddress("localhost", i));
			}
			catch (IOException | IllegalArgumentException ex) {
				throw new InvalidConfigurationPropertyValueException("statestore.port", this.port,
						"The port " + i + " is in use, perhaps by another control room or broker, or too high. Stop "
								+ "it, or choose another port, such as --statestore.port=1893");
			}
		}
	}

	private synchronized void begin() {
		this.restarting = false;
		if (this.running) {
			Path data = this.properties.data();
			this.broker = this.brokers.isCluster() ? this.brokers.start()
					: (this.properties.broker() == Broker.EMBEDDED) ? embedded(data)
							: Mosquitto.start(data, this.port, storage(data.resolve("gateway")));
		}
	}

	private AutoCloseable embedded(Path data) {
		try {
			return StateStoreBroker.builder().port(this.port).storage(storage(data.resolve("store"))).start();
		}
		catch (RuntimeException ex) {
			throw new InvalidConfigurationPropertyValueException("sample.directory", data,
					"The broker could not be started: " + ex.getMessage()
							+ ". If another control room uses the directory, stop it, or choose another one, such as "
							+ "--sample.directory=target/line");
		}
	}

	/** Returns options for a store on disk with a history of at most 64 MiB. */
	private static StorageOptions storage(Path directory) {
		return StorageOptions.in(directory).withHistory(HistoryRetention.ofLimits(null, 64L << 20));
	}

	/** Stops the broker and starts it again after a pause. Returns immediately. */
	synchronized void restart() {
		if (this.restarting || this.brokers.isCluster()) {
			throw new IllegalStateException(this.restarting ? "The broker is restarting already"
					: "There are three brokers. Kill and start one of them");
		}
		this.restarting = true;
		this.line.log(Line.CHANGE, "The broker is restarting.");
		ChildProcess.startDaemon("broker", () -> {
			try {
				end();
				Thread.sleep(PAUSE_MILLIS);
				begin();
			}
			catch (Exception ex) {
				logger.error("The broker could not be restarted", ex);
				this.line.log(Line.FAILURE,
						"The broker could not be restarted. The reason is in the output of the control room.");
			}
		});
	}

	private synchronized void end() throws Exception {
		AutoCloseable ending = this.broker;
		this.broker = null;
		if (ending != null) {
			ending.close();
		}
	}

	@Override
	public synchronized void stop() {
		this.running = false;
		try {
			end();
		}
		catch (Exception ex) {
			logger.warn("The broker could not be stopped", ex);
		}
	}

	@Override
	public synchronized boolean isRunning() {
		return this.running;
	}

	/** Starts before the client's connection and stops after it. */
	@Override
	public int getPhase() {
		return StateStoreConnection.PHASE - 1;
	}

}
