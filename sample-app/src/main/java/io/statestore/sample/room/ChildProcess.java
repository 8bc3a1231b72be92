package io.statestore.sample.room;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.statestore.sample.SampleApplication;
import org.jspecify.annotations.Nullable;

/** A press or broker in a separate process. Thread-safe. */
class ChildProcess implements AutoCloseable {

	private final String name;

	private final Line line;

	private final Supplier<Process> launcher;

	private @Nullable Process process;

	/** Shell that continues the process; {@code null} unless the process is paused. */
	private @Nullable Process pause;

	/**
	 * Creates an object for a process that is not running yet.
	 * @param launcher starts the process
	 */
	ChildProcess(String name, Line line, Supplier<Process> launcher) {
		this.name = name;
		this.line = line;
		this.launcher = launcher;
	}

	/**
	 * Runs the sample in the same way as this process: packaged or from the class path.
	 * @param heap maximum heap size, as in the JVM option
	 */
	static Process sample(String name, String heap, Map<String, String> environment, List<String> arguments) {
		String classPath = System.getProperty("java.class.path");
		boolean packaged = String.valueOf(SampleApplication.class.getResource("SampleApplication.class"))
			.startsWith("jar:nested:");
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx" + heap,
						"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"));
		command.addAll(
				packaged ? List.of("-jar", classPath) : List.of("-cp", classPath, SampleApplication.class.getName()));
		command.addAll(arguments);
		command.add("--sample.room-pid=" + ProcessHandle.current().pid());
		return launch(name, environment, command);
	}

	/** Starts a process whose output appears in this process's output. */
	static Process launch(String name, Map<String, String> environment, List<String> command) {
		try {
			ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
			builder.environment().putAll(environment);
			Process process = builder.start();
			startDaemon("output-" + name, () -> print(name, process));
			return process;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Starts a thread that does not keep the JVM alive. */
	static void startDaemon(String name, Runnable task) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		thread.start();
	}

	private static void print(String name, Process process) {
		try {
			process.inputReader().lines().forEach((line) -> System.out.println(name + " | " + line));
		}
		catch (UncheckedIOException ex) {
			// Reading failed because the process was killed.
		}
	}

	/** Returns whether processes can be paused on this machine: not on Windows. */
	static boolean canPause() {
		return Files.isExecutable(Path.of("/bin/sh"));
	}

	synchronized void start() {
		require(!isRunning(), "is running already");
		Process started = this.launcher.get();
		this.process = started;
		started.onExit().thenRun(() -> ended(started));
		this.line.forgetTrouble(this.name);
		this.line.log(Line.CHANGE, this.name + " was started.");
	}

	private synchronized void ended(Process ended) {
		if (this.process == ended) {
			this.process = null;
			endPause();
			this.line.log(Line.FAILURE, this.name + " has ended with exit code " + ended.exitValue() + '.');
		}
	}

	/** Kills the process with SIGKILL. */
	synchronized void kill() {
		running().destroyForcibly();
		this.process = null;
		endPause();
		this.line.trouble(Line.FAILURE, this.name, "was killed");
	}

	/** Throws an {@link IllegalStateException} unless the process can be paused now. */
	synchronized void requirePausable() {
		running();
		require(this.pause == null, "is paused already");
		require(canPause(), "cannot be paused: this needs /bin/sh and SIGSTOP. Kill it, or cut its connection");
	}

	/**
	 * Stops the process with SIGSTOP. A shell continues it after the given time, even if
	 * this control room is killed.
	 */
	synchronized void pause(Duration time) {
		requirePausable();
		long pid = running().pid();
		Process shell = launch("pause", Map.of(), List.of("/bin/sh", "-c",
				"exec >/dev/null 2>&1; kill -STOP " + pid + " && sleep " + time.toSeconds() + "; kill -CONT " + pid));
		this.pause = shell;
		shell.onExit().thenRun(() -> continued(shell));
		this.line.trouble(Line.FAILURE, this.name, Line.PAUSED);
	}

	/** Ends the 'sleep' of the shell, which then continues the process. */
	synchronized void resume() {
		require(this.pause != null, "is not paused");
		endSleep(this.pause);
	}

	private synchronized void continued(Process shell) {
		if (this.pause == shell) {
			this.pause = null;
			this.line.log(Line.CHANGE, this.name + " continues.");
		}
	}

	private void endPause() {
		endSleep(this.pause);
		this.pause = null;
	}

	private static void endSleep(@Nullable Process shell) {
		if (shell != null) {
			shell.children().forEach(ProcessHandle::destroy);
		}
	}

	synchronized boolean isRunning() {
		return this.process != null;
	}

	synchronized boolean isPaused() {
		return this.pause != null;
	}

	/** Returns the process ID; 0 if the process is not running. */
	synchronized long pid() {
		return (this.process != null) ? this.process.pid() : 0;
	}

	private Process running() {
		if (this.process == null) {
			throw new IllegalStateException(this.name + " is not running. Start it first");
		}
		return this.process;
	}

	private void require(boolean condition, String problem) {
		if (!condition) {
			throw new IllegalStateException(this.name + ' ' + problem);
		}
	}

	/**
	 * Kills the process and waits for its end. SIGTERM would have no effect on a paused
	 * process.
	 */
	@Override
	public synchronized void close() {
		endPause();
		Process ending = this.process;
		this.process = null;
		if (ending != null) {
			try {
				ending.destroyForcibly().waitFor();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}
	}

}
