package io.statestore.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A running program and its descendants. Safe for use by several threads. */
final class Program {

	private static final Duration POLL = Duration.ofMillis(20);

	/** Time for the end of a process after SIGKILL, which the kernel may delay. */
	private static final Duration KILL = Duration.ofSeconds(5);

	/** Time between two listings of the descendants. */
	private static final long LISTING_MILLIS = 100;

	private static final int SIGNALED = 128;

	private static final int MAX_SIGNAL = 64;

	private final Process process;

	private final Duration grace;

	/** Includes those whose parent has ended, which can no longer be listed. */
	private final Set<ProcessHandle> descendants = ConcurrentHashMap.newKeySet();

	/**
	 * Creates a program.
	 * @param process the process of the program
	 * @param grace time from SIGTERM to SIGKILL
	 */
	Program(Process process, Duration grace) {
		this.process = process;
		this.grace = grace;
	}

	/**
	 * Waits for the end of the program. If it is terminated meanwhile, or if a signal
	 * ends it, also ends its descendants and waits for them.
	 * @return its exit code, 128 and the number of the signal if a signal ended it
	 * @throws InterruptedException if interrupted while waiting; the program is
	 * terminated
	 */
	int await() throws InterruptedException {
		try {
			while (!this.process.waitFor(LISTING_MILLIS, TimeUnit.MILLISECONDS)) {
				this.process.descendants().forEach(this.descendants::add);
			}
		}
		catch (InterruptedException ex) {
			terminate();
			throw ex;
		}
		int exitCode = this.process.exitValue();
		if (exitCode > SIGNALED && exitCode <= SIGNALED + MAX_SIGNAL) {
			// Ctrl+C reaches a program before this process can end it.
			terminate();
		}
		// A thread that terminates the program has this monitor.
		synchronized (this) {
			return exitCode;
		}
	}

	/**
	 * Sends SIGTERM to the program and its descendants, and SIGKILL to those that still
	 * run after the grace time. Returns after the end of all of them.
	 */
	synchronized void terminate() {
		Set<ProcessHandle> processes = new LinkedHashSet<>(List.of(this.process.toHandle()));
		processes.addAll(this.descendants);
		addDescendants(processes);
		processes.forEach(ProcessHandle::destroy);
		if (!awaitEnd(processes, this.grace)) {
			addDescendants(processes);
			processes.forEach(ProcessHandle::destroyForcibly);
			awaitEnd(processes, KILL);
		}
	}

	/** Returns whether a process was found among the descendants. For tests. */
	boolean knows(ProcessHandle process) {
		return this.descendants.contains(process);
	}

	private static void addDescendants(Set<ProcessHandle> processes) {
		List.copyOf(processes).forEach((process) -> process.descendants().forEach(processes::add));
	}

	/**
	 * Waits for the end of processes.
	 * @return whether all have ended, {@code false} also after an interrupt
	 */
	private static boolean awaitEnd(Collection<ProcessHandle> processes, Duration time) {
		long start = System.nanoTime();
		while (processes.stream().anyMatch(Program::isRunning)) {
			if (System.nanoTime() - start >= time.toNanos() || Thread.currentThread().isInterrupted()) {
				return false;
			}
			LockSupport.parkNanos(POLL.toNanos());
		}
		return true;
	}

	/**
	 * Returns whether a process is running. One that has ended remains a zombie until its
	 * parent reads its exit code, which the first process of a container may never do.
	 */
	static boolean isRunning(ProcessHandle process) {
		try {
			String status = Files.readString(Path.of("/proc/" + process.pid() + "/stat"), StandardCharsets.ISO_8859_1);
			return process.isAlive() && !status.substring(status.lastIndexOf(')') + 1).startsWith(" Z");
		}
		catch (IOException ex) {
			// Not Linux, or ended just now
			return process.isAlive();
		}
	}

}
