package io.statestore.sample.room;

import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.statestore.history.StateHistory;
import io.statestore.sample.room.LogEntry.Kind;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * The broker of the line, which can be restarted. Its data are in a directory:
 * docs/durability.md.
 */
class LineBroker implements AutoCloseable {

	private static final long PAUSE_MILLIS = 2_000;

	private static final Logger logger = LoggerFactory.getLogger(LineBroker.class);

	private final BrokerServer server;

	private final int port;

	private final Line line;

	private BrokerServer.@Nullable Running running;

	private boolean restarting;

	private boolean closed;

	/** Starts the broker. */
	LineBroker(BrokerServer server, int port, Line line) {
		this.server = server;
		this.port = port;
		this.line = line;
		requireFree(port);
		this.running = server.start(port);
	}

	/**
	 * Reports a port in use before the broker does, which has another property for it.
	 */
	private static void requireFree(int port) {
		try (ServerSocket socket = new ServerSocket()) {
			socket.setReuseAddress(true);
			socket.bind(new InetSocketAddress("localhost", port));
		}
		catch (IOException ex) {
			throw new InvalidConfigurationPropertyValueException("statestore.port", port,
					"The port is in use, perhaps by another control room or broker. Stop it, or choose another port, "
							+ "such as --statestore.port=1884");
		}
	}

	int port() {
		return this.port;
	}

	/** Returns the history, {@code null} if there is none or the broker is away. */
	synchronized @Nullable StateHistory history() {
		return (this.running != null) ? this.running.history() : null;
	}

	/** Closes the broker, and starts it again on another thread. */
	synchronized void restart() {
		if (this.restarting) {
			throw new IllegalStateException("The broker is restarting already");
		}
		this.restarting = true;
		CompletableFuture.runAsync(this::stop)
			.exceptionally(this::failed)
			.thenRunAsync(this::startAgain, CompletableFuture.delayedExecutor(PAUSE_MILLIS, TimeUnit.MILLISECONDS));
	}

	private synchronized void stop() {
		if (this.running != null) {
			BrokerServer.Running stopping = this.running;
			this.running = null;
			stopping.close();
		}
	}

	private synchronized void startAgain() {
		this.restarting = false;
		if (this.closed) {
			return;
		}
		try {
			this.running = this.server.start(this.port);
		}
		catch (RuntimeException ex) {
			failed(ex);
		}
	}

	private @Nullable Void failed(Throwable failure) {
		logger.error("The broker could not be restarted", failure);
		this.line.log(Kind.FAILURE,
				"The broker could not be restarted. The reason is in the output of the control room.");
		return null;
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		stop();
	}

}
