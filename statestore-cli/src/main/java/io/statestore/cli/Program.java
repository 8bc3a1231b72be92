package io.statestore.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A running program and its descendant processes. Thread-safe. */
final class Program {

	private static final Duration POLL = Duration.ofMillis(20);

	/**
	 * How long to wait for processes to end after SIGKILL, which the kernel may delay.
	 */
	private static final Duration KILL = Duration.ofSeconds(5);

	/** Interval between listings of the descendants. */
	private static final long LISTING_MILLIS = 100;

	private static final int SIGNALED = 128;

	private static final int MAX_SIGNAL = 64;

	private final Process process;

	private final Duration grace;

	/**
	 * The program, followed by the descendants found so far, including those that can no
	 * longer be listed because their parent has ended.
	 */
	private final Set<ProcessHandle> processes = Collections.synchronizedSet(new LinkedHashSet<>());

	/**
	 * Creates a program.
	 * @param process process to wait for
	 * @param grace time from SIGTERM to SIGKILL
	 */
	Program(Process process, Duration grace) {
		this.process = process;
		this.grace = grace;
		this.processes.add(process.toHandle());
	}

	/**
	 * Waits until the program ends. If it is terminated, or if a signal ends it, also
	 * ends its descendants and waits for them.
	 * @return the program's exit code; 128 plus the signal number if a signal ended it
	 * @throws InterruptedException if interrupted while waiting; the program is
	 * terminated
	 */
	int await() throws InterruptedException {
		try {
			while (!this.process.waitFor(LISTING_MILLIS, TimeUnit.MILLISECONDS)) {
				this.process.descendants().forEach(this.processes::add);
			}
		}
		catch (InterruptedException ex) {
			terminate();
			throw ex;
		}
		int exitCode = this.process.exitValue();
		if (exitCode > SIGNALED && exitCode <= SIGNALED + MAX_SIGNAL) {
			// Ctrl+C reaches the program before this process can terminate it.
			terminate();
		}
		// Waits for a thread that is terminating the program, which holds this monitor.
		synchronized (this) {
			return exitCode;
		}
	}

	/**
	 * Sends SIGTERM to the program and its descendants, and SIGKILL to those still
	 * running after the grace period. Returns once all have ended, or a few seconds after
	 * SIGKILL.
	 */
	synchronized void terminate() {
		addDescendants();
		this.processes.forEach(ProcessHandle::destroy);
		if (!awaitEnd(this.grace)) {
			addDescendants();
			this.processes.forEach(ProcessHandle::destroyForcibly);
			awaitEnd(KILL);
		}
	}

	/** Returns whether a process was found among the descendants. Used by tests. */
	boolean knows(ProcessHandle process) {
		return this.processes.contains(process);
	}

	private void addDescendants() {
		List.copyOf(this.processes).forEach((process) -> process.descendants().forEach(this.processes::add));
	}

	/**
	 * Waits for the end of all processes.
	 * @return whether all have ended; {@code false} after a timeout or interrupt
	 */
	private boolean awaitEnd(Duration time) {
		long start = System.nanoTime();
		while (List.copyOf(this.processes).stream().anyMatch(Program::isRunning)) {
			if (System.nanoTime() - start >= time.toNanos() || Thread.currentThread().isInterrupted()) {
				return false;
			}
			LockSupport.parkNanos(POLL.toNanos());
		}
		return true;
	}

	/**
	 * Returns whether a process is running. A process that has ended remains a zombie
	 * until its parent reads its exit code, which a container's first process may never
	 * do.
	 */
	static boolean isRunning(ProcessHandle process) {
		try {
			String status = Files.readString(Path.of("/proc/" + process.pid() + "/stat"), StandardCharsets.ISO_8859_1);
			return process.isAlive() && !status.substring(status.lastIndexOf(')') + 1).startsWith(" Z");
		}
		catch (IOException ex) {
			// This is not Linux, or the process has just ended.
			return process.isAlive();
		}
	}

}
