package io.statestore.client.mqtt.internal;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * Lifecycle of a connection. The application starts and stops it, the first call starts
 * it if the application has not, and closing it ends it for good. Thread-safe.
 */
final class ConnectionLifecycle {

	private final ReentrantLock lock = new ReentrantLock();

	private final UnaryOperator<@Nullable ConnectionSupervisor> factory;

	private volatile @Nullable ConnectionSupervisor supervisor;

	/** The supervisor that was stopped last, which might not have ended yet. */
	private @Nullable ConnectionSupervisor predecessor;

	/** Whether the application has started the connection and not stopped it since. */
	private volatile boolean running;

	/** Whether the application has stopped the connection and not started it since. */
	private volatile boolean stopped;

	private volatile boolean closed;

	/**
	 * @param factory creates a supervisor that waits for the end of its predecessor
	 */
	ConnectionLifecycle(UnaryOperator<@Nullable ConnectionSupervisor> factory) {
		this.factory = factory;
	}

	/**
	 * Starts to connect, unless a call has done so before.
	 * @return {@code false} if the application had already started the connection
	 * @throws IllegalStateException if the connection is closed
	 */
	boolean start() {
		this.lock.lock();
		try {
			if (this.closed) {
				throw new IllegalStateException(
						"The connection is closed and cannot be started again. Create another StateStoreConnection");
			}
			connect();
			boolean first = !this.running;
			this.running = true;
			this.stopped = false;
			return first;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Starts to connect because of a call.
	 * @param restart whether to connect after the application has stopped the connection
	 * @return whether there is, or will be, a connection
	 */
	boolean use(boolean restart) {
		if (this.supervisor != null) {
			return true;
		}
		this.lock.lock();
		try {
			if (this.closed || (this.stopped && !restart)) {
				return false;
			}
			connect();
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void connect() {
		if (this.supervisor == null) {
			ConnectionSupervisor supervisor = this.factory.apply(this.predecessor);
			// Fails if no thread can be created. The next call tries again.
			supervisor.start();
			this.predecessor = null;
			this.supervisor = supervisor;
		}
	}

	/**
	 * Ends the use of the connection.
	 * @param close whether to end it for good
	 * @return the supervisor to stop, or {@code null} if there was none
	 */
	@Nullable ConnectionSupervisor end(boolean close) {
		this.lock.lock();
		try {
			ConnectionSupervisor supervisor = this.supervisor;
			this.supervisor = null;
			this.predecessor = (supervisor != null) ? supervisor : this.predecessor;
			this.running = false;
			this.stopped = true;
			this.closed |= close;
			return supervisor;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Returns the current supervisor, or {@code null} if the connection is not in use.
	 */
	@Nullable ConnectionSupervisor supervisor() {
		return this.supervisor;
	}

	/** Returns whether the application has started this and not stopped it since. */
	boolean isRunning() {
		return this.running;
	}

	/** Returns why the connection is not in use, as the end of a sentence. */
	String reason() {
		return this.closed ? "closed" : (this.stopped ? "stopped" : "not in use yet");
	}

}
