package io.statestore.cli;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A running program. Safe for use by several threads. */
final class Program {

	private final Process process;

	private final Duration grace;

	/**
	 * @param process the process of the program
	 * @param grace time from SIGTERM to SIGKILL
	 */
	Program(Process process, Duration grace) {
		this.process = process;
		this.grace = grace;
	}

	/**
	 * Waits for the end of the program.
	 * @return its exit code, 128 and the number of the signal if a signal ended it
	 * @throws InterruptedException if interrupted while waiting; the program is
	 * terminated
	 */
	int await() throws InterruptedException {
		try {
			return this.process.waitFor();
		}
		catch (InterruptedException ex) {
			terminate();
			throw ex;
		}
	}

	/**
	 * Sends SIGTERM to the program and its children, and SIGKILL if they still run after
	 * the grace time. Returns after the end of the program.
	 */
	void terminate() {
		List<ProcessHandle> children = this.process.descendants().toList();
		this.process.destroy();
		children.forEach(ProcessHandle::destroy);
		if (!hasEnded()) {
			this.process.destroyForcibly();
		}
		children.forEach(ProcessHandle::destroyForcibly);
	}

	private boolean hasEnded() {
		try {
			return this.process.waitFor(this.grace.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

}
