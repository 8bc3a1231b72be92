package io.statestore.dafka.zmtp;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Factory of the I/O threads of a context, which handles their errors. */
final class IoThreads {

	private static final Logger logger = LoggerFactory.getLogger(IoThreads.class);

	/** Maximum number of errors after which a thread continues, to close its sockets. */
	private static final int MAX_ERRORS = 100;

	/** Number of exceptions in a second after which the node fails. */
	private static final int MAX_EXCEPTIONS = 10_000;

	private static final long LOG_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final String name;

	private final Consumer<Throwable> failure;

	private volatile boolean closing;

	private long count;

	private long logAt = System.nanoTime();

	private long secondEnds = System.nanoTime();

	private int inSecond;

	IoThreads(String name, Consumer<Throwable> failure) {
		this.name = name;
		this.failure = failure;
	}

	/** Creates a thread for a poller of JeroMQ. */
	Thread create(Runnable poller, String threadName) {
		Thread thread = new Thread(() -> run(poller), this.name + '-' + threadName);
		thread.setDaemon(true);
		return thread;
	}

	/** Runs a poller. It continues after errors, because closing the context needs it. */
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
		this.count++;
		long now = System.nanoTime();
		if (now - this.logAt >= 0) {
			this.logAt = now + LOG_NANOS;
			logger.warn("Unexpected exception in {} ({} so far); continuing", thread.getName(), this.count, exception);
		}
		if (now - this.secondEnds >= 0) {
			this.secondEnds = now + TimeUnit.SECONDS.toNanos(1);
			this.inSecond = 0;
		}
		this.inSecond++;
		if (this.inSecond == MAX_EXCEPTIONS) {
			this.failure.accept(exception);
		}
	}

	/** Ignores further exceptions, because the context is closing. */
	void closing() {
		this.closing = true;
	}

}
