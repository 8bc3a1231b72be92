package io.statestore.dafka.node.internal;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.statestore.dafka.Ticker;
import io.statestore.dafka.internal.WarningLimit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Factory of the I/O threads of a context. Handles their errors. */
final class IoThreads {

	private static final Logger logger = LoggerFactory.getLogger(IoThreads.class);

	/** Number of errors after which a thread ends, without closing its sockets. */
	private static final int MAX_ERRORS = 100;

	/** Number of exceptions in a second after which the node fails. */
	private static final int MAX_EXCEPTIONS = 10_000;

	private final String name;

	private final Consumer<Throwable> failure;

	private final Ticker ticker;

	private volatile boolean closing;

	private final WarningLimit warnings = new WarningLimit();

	private long secondEnds;

	/** Number of exceptions in the current second. */
	private int inSecond;

	/**
	 * Creates a factory.
	 * @param name name of the node
	 * @param failure receives errors that end the node
	 */
	IoThreads(String name, Ticker ticker, Consumer<Throwable> failure) {
		this.name = name;
		this.ticker = ticker;
		this.failure = failure;
		this.secondEnds = ticker.nanos();
	}

	/** Returns the poller of the current thread, which must be an I/O thread. */
	static Runnable currentPoller() {
		return ((IoThread) Thread.currentThread()).poller;
	}

	/** Creates a thread for a poller of JeroMQ. */
	Thread create(Runnable poller, String threadName) {
		Thread thread = new IoThread(() -> run(poller), this.name + '-' + threadName, poller);
		thread.setDaemon(true);
		return thread;
	}

	/** Runs a poller. Continues after errors, because close waits for the poller. */
	private void run(Runnable poller) {
		for (int errors = 0; errors < MAX_ERRORS; errors++) {
			try {
				poller.run();
				return;
			}
			catch (Throwable ex) {
				this.failure.accept(ex);
			}
		}
	}

	/** Handles an exception after which JeroMQ continues. */
	synchronized void exception(Thread thread, Throwable exception) {
		if (this.closing) {
			return;
		}
		long now = this.ticker.nanos();
		this.warnings.warn(logger, now, "Unexpected exception in {}; continuing", thread.getName(), exception);
		if (now - this.secondEnds >= 0) {
			this.secondEnds = now + TimeUnit.SECONDS.toNanos(1);
			this.inSecond = 0;
		}
		this.inSecond++;
		if (this.inSecond == MAX_EXCEPTIONS) {
			this.failure.accept(exception);
		}
	}

	/** Ignores all further exceptions: closing the context causes some. */
	void ignoreExceptions() {
		this.closing = true;
	}

	private static final class IoThread extends Thread {

		private final Runnable poller;

		IoThread(Runnable task, String name, Runnable poller) {
			super(task, name);
			this.poller = poller;
		}

	}

}
