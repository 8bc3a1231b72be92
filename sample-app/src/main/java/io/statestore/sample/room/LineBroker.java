package io.statestore.sample.room;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.sample.room.LogEntry.Kind;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.SmartLifecycle;

/**
 * The broker of the line, which can be restarted. Its data is in a directory:
 * docs/durability.md.
 */
class LineBroker implements SmartLifecycle, AutoCloseable {

	private static final Duration PAUSE = Duration.ofSeconds(2);

	private static final Logger logger = LoggerFactory.getLogger(LineBroker.class);

	private final BrokerServer server;

	private final int port;

	private final Line line;

	/** The first start, which takes place while the page is prepared. */
	private final CompletableFuture<Void> first = new CompletableFuture<>();

	private BrokerServer.@Nullable Running running;

	private boolean restarting;

	private boolean started;

	private boolean stopped;

	/** Begins to start the broker. */
	LineBroker(BrokerServer server, int port, Line line) {
		this.server = server;
		this.port = port;
		this.line = line;
		for (int i = 0; i < server.portCount(); i++) {
			requireFree(port, port + i);
		}
		run(() -> {
			try {
				begin();
				this.first.complete(null);
			}
			catch (Throwable ex) {
				this.first.completeExceptionally(ex);
			}
		});
	}

	/**
	 * Checks a port first, because the broker would report another property.
	 */
	private static void requireFree(int first, int port) {
		try (ServerSocket socket = new ServerSocket()) {
			socket.setReuseAddress(true);
			socket.bind(new InetSocketAddress("localhost", port));
		}
		catch (IOException ex) {
			throw new InvalidConfigurationPropertyValueException("statestore.port", first,
					"The port " + port + " is in use, perhaps by another control room or broker. Stop it, or choose "
							+ "another port, such as --statestore.port=1893");
		}
	}

	/** On a new thread, which has the class loader of this application. */
	private static void run(Runnable task) {
		Thread thread = new Thread(task, "broker");
		thread.setDaemon(true);
		thread.start();
	}

	/**
	 * Waits until the broker has started.
	 * @throws InvalidConfigurationPropertyValueException if it cannot be started
	 */
	@Override
	public void start() {
		try {
			this.first.join();
			synchronized (this) {
				this.started = true;
			}
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof Error error) {
				throw error;
			}
			throw (ex.getCause() instanceof RuntimeException cause) ? cause : ex;
		}
	}

	/** Stops the broker, and starts it again after a pause. Returns at once. */
	synchronized void restart() {
		if (this.restarting) {
			throw new IllegalStateException("The broker is restarting already");
		}
		this.restarting = true;
		run(() -> {
			try {
				end();
				Thread.sleep(PAUSE.toMillis());
				begin();
			}
			catch (Throwable ex) {
				logger.error("The broker could not be restarted", ex);
				this.line.log(Kind.FAILURE,
						"The broker could not be restarted. The reason is in the output of the control room.");
			}
			finally {
				restarted();
			}
		});
	}

	private synchronized void end() {
		BrokerServer.Running ending = this.running;
		this.running = null;
		if (ending != null) {
			ending.close();
		}
	}

	private synchronized void begin() {
		if (!this.stopped) {
			this.running = this.server.start(this.port);
		}
	}

	private synchronized void restarted() {
		this.restarting = false;
	}

	@Override
	public synchronized void stop() {
		this.stopped = true;
		end();
	}

	@Override
	public synchronized boolean isRunning() {
		return this.started && !this.stopped;
	}

	/** Also stops a broker whose application has not started. */
	@Override
	public void close() {
		stop();
	}

	/** Starts before the connection of the client, and stops after it. */
	@Override
	public int getPhase() {
		return StateStoreConnection.PHASE - 1;
	}

}
