package io.statestore.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Ends a command in order when a signal stops this process: its wait, or its program.
 * Then waits until the command has released its lock.
 */
final class SignalGuard implements AutoCloseable {

	/** Time for the release of the lock after the end of the program. */
	private static final Duration RELEASE = Duration.ofSeconds(5);

	private final CountDownLatch closed = new CountDownLatch(1);

	private final Thread command = Thread.currentThread();

	private final Thread hook = new Thread(this::stopping, "statestore-signal");

	private final Duration grace;

	private @Nullable Program program;

	private boolean stopping;

	/**
	 * Starts to guard the command of the current thread.
	 * @param grace time for the end of a program
	 */
	SignalGuard(Duration grace) {
		this.grace = grace;
		Runtime.getRuntime().addShutdownHook(this.hook);
	}

	/** Sets the program that a signal ends. */
	synchronized void protect(Program program) {
		this.program = program;
		if (this.stopping) {
			program.terminate();
		}
	}

	private void stopping() {
		Program program;
		synchronized (this) {
			this.stopping = true;
			program = this.program;
		}
		if (program != null) {
			program.terminate();
		}
		else {
			this.command.interrupt();
		}
		try {
			this.closed.await(this.grace.plus(RELEASE).toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void close() {
		this.closed.countDown();
		try {
			Runtime.getRuntime().removeShutdownHook(this.hook);
		}
		catch (IllegalStateException ex) {
			// The process is stopping.
		}
	}

}
