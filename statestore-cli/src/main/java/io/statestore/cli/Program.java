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

/** A running program and its descendants. Safe for use by several threads. */
final class Program {

	private static final long POLL_MILLIS = 20;

	/** Time for the end of a process after SIGKILL, which the kernel may delay. */
	private static final Duration KILL = Duration.ofSeconds(5);

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
	 * Waits for the end of the program. If the program is terminated meanwhile, also
	 * waits for the end of its descendants.
	 * @return its exit code, 128 and the number of the signal if a signal ended it
	 * @throws InterruptedException if interrupted while waiting; the program is
	 * terminated
	 */
	int await() throws InterruptedException {
		try {
			int exitCode = this.process.waitFor();
			// A thread that terminates the program has this monitor.
			synchronized (this) {
				return exitCode;
			}
		}
		catch (InterruptedException ex) {
			terminate();
			throw ex;
		}
	}

	/**
	 * Sends SIGTERM to the program and its descendants, and SIGKILL to those that still
	 * run after the grace time. Returns after the end of all of them. Does nothing if the
	 * program has ended.
	 */
	synchronized void terminate() {
		if (!this.process.isAlive()) {
			return;
		}
		// The descendants of a program that has ended cannot be listed.
		Set<ProcessHandle> processes = new LinkedHashSet<>(List.of(this.process.toHandle()));
		addDescendants(processes);
		processes.forEach(ProcessHandle::destroy);
		if (!awaitEnd(processes, this.grace)) {
			addDescendants(processes);
			processes.forEach(ProcessHandle::destroyForcibly);
			awaitEnd(processes, KILL);
		}
	}

	private static void addDescendants(Set<ProcessHandle> processes) {
		List.copyOf(processes).forEach((process) -> process.descendants().forEach(processes::add));
	}

	/** Waits for the end of processes, and returns whether all have ended. */
	private static boolean awaitEnd(Collection<ProcessHandle> processes, Duration time) {
		boolean interrupted = false;
		long end = System.nanoTime() + time.toNanos();
		try {
			while (processes.stream().anyMatch(Program::isRunning)) {
				if (System.nanoTime() - end >= 0) {
					return false;
				}
				try {
					Thread.sleep(POLL_MILLIS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
			return true;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Returns whether a process is running. One that has ended remains a zombie until its
	 * parent reads its exit code, which the first process of a container may never do.
	 */
	private static boolean isRunning(ProcessHandle process) {
		if (!process.isAlive()) {
			return false;
		}
		try {
			String status = Files.readString(Path.of("/proc/" + process.pid() + "/stat"), StandardCharsets.ISO_8859_1);
			return !status.substring(status.lastIndexOf(')') + 1).startsWith(" Z");
		}
		catch (IOException ex) {
			// Not Linux, or ended just now
			return process.isAlive();
		}
	}

}
