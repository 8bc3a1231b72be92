package io.statestore.client.mqtt;

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

	/** Supervisor that was stopped last and may not have ended yet. */
	private @Nullable ConnectionSupervisor predecessor;

	/** Whether the application has started the connection and not stopped it since. */
	private volatile boolean running;

	/** Whether the application has stopped the connection and not started it since. */
	private volatile boolean stopped;

	private volatile boolean closed;

	/**
	 * @param factory makes a supervisor that waits for the end of its predecessor
	 */
	ConnectionLifecycle(UnaryOperator<@Nullable ConnectionSupervisor> factory) {
		this.factory = factory;
	}

	/**
	 * Starts connecting, unless a call has done so before.
	 * @return whether the application had not started the connection before
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
	 * Starts connecting because of a call.
	 * @param restart whether to do so after the application has stopped the connection
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
			// May fail for lack of threads. The next call tries again.
			supervisor.start();
			this.predecessor = null;
			this.supervisor = supervisor;
		}
	}

	/**
	 * Ends the use of the connection.
	 * @param close whether for good
	 * @return the supervisor to stop, {@code null} if there was none
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

	/** Returns the supervisor, {@code null} if nothing connects. */
	@Nullable ConnectionSupervisor supervisor() {
		return this.supervisor;
	}

	boolean isRunning() {
		return this.running;
	}

	/** Returns why nothing connects, as the end of a sentence. */
	String reason() {
		return this.closed ? "closed" : (this.stopped ? "stopped" : "not in use yet");
	}

}
