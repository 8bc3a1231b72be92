package io.statestore.cli;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Ends a command in order when a signal stops this process: its wait, its writes, or its
 * program. Then waits until the command has released its lock.
 */
final class SignalGuard implements AutoCloseable {

	/** Time for the release of the lock after the end of the command. */
	private static final Duration RELEASE = Duration.ofSeconds(5);

	private final CountDownLatch closed = new CountDownLatch(1);

	private final Thread command = Thread.currentThread();

	private final Thread hook = new Thread(this::stopping, "statestore-signal");

	private final Session session;

	private final Duration grace;

	private boolean working;

	private @Nullable Program program;

	private boolean stopping;

	/**
	 * Starts to guard the command of the current thread, whose wait a signal interrupts.
	 * @param session its locks are stopped on close
	 * @param grace time for the end of the program, or for writes before they are
	 * interrupted
	 */
	SignalGuard(Session session, Duration grace) {
		this.session = session;
		this.grace = grace;
		Runtime.getRuntime().addShutdownHook(this.hook);
	}

	/**
	 * Starts a program, which a signal terminates.
	 * @param start starts it
	 * @throws InterruptedException if a signal has arrived; nothing was started
	 * @throws Exception if it cannot be started
	 */
	synchronized Program start(Callable<Program> start) throws Exception {
		requireNoSignal();
		this.program = start.call();
		return this.program;
	}

	/**
	 * Begins writes, which a signal interrupts after the grace time only, because their
	 * outcome is then unknown.
	 * @throws InterruptedException if a signal has arrived
	 */
	synchronized void beginWrites() throws InterruptedException {
		requireNoSignal();
		this.working = true;
	}

	private void requireNoSignal() throws InterruptedException {
		if (this.stopping) {
			// The release of the lock must not be interrupted.
			Thread.interrupted();
			throw new InterruptedException();
		}
	}

	/** Ends the command. */
	void stopping() {
		Program program;
		boolean working;
		synchronized (this) {
			this.stopping = true;
			program = this.program;
			working = this.working;
			if (program == null && !working) {
				this.command.interrupt();
			}
		}
		if (program != null) {
			program.terminate();
		}
		else if (working && !awaitClose(this.grace)) {
			this.command.interrupt();
		}
		awaitClose(RELEASE);
	}

	private boolean awaitClose(Duration time) {
		try {
			return this.closed.await(time.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	@Override
	public void close() {
		this.session.stopLocks();
		this.closed.countDown();
		try {
			Runtime.getRuntime().removeShutdownHook(this.hook);
		}
		catch (IllegalStateException ex) {
			// The process is stopping.
		}
	}

}
