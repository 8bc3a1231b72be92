package io.statestore.sample.room;

import java.util.List;
import java.util.function.Supplier;

import io.statestore.sample.room.LogEntry.Kind;
import org.jspecify.annotations.Nullable;

/** A broker that runs as a process of this control room. Thread-safe. */
final class BrokerProcess {

	private final String name;

	private final Line line;

	private final Supplier<List<String>> command;

	private @Nullable Process process;

	private boolean closed;

	/**
	 * Creates a broker that does not run.
	 * @param command returns the command for the next start
	 */
	BrokerProcess(String name, Line line, Supplier<List<String>> command) {
		this.name = name;
		this.line = line;
		this.command = command;
		line.brokerProcess(name, false);
	}

	synchronized void start() {
		require(this.process == null, "is running already");
		require(!this.closed, "cannot be started: the control room is closing");
		Process started = Programs.start(this.name, this.command.get());
		this.process = started;
		this.line.brokerProcess(this.name, true);
		started.onExit().thenRun(() -> ended(started));
	}

	/** Kills the process with SIGKILL, and waits for its end. */
	synchronized void kill() {
		Process killed = this.process;
		if (killed == null) {
			throw new IllegalStateException(this.name + " is not running. Start it first");
		}
		this.process = null;
		this.line.log(Kind.FAILURE, this.name + " was killed.");
		Programs.awaitExit(killed.destroyForcibly());
		this.line.brokerProcess(this.name, false);
	}

	private synchronized void ended(Process ended) {
		if (this.process == ended && !this.closed) {
			this.process = null;
			this.line.log(Kind.FAILURE, this.name + " has ended with exit code " + ended.exitValue() + '.');
			this.line.brokerProcess(this.name, false);
		}
	}

	private void require(boolean condition, String problem) {
		if (!condition) {
			throw new IllegalStateException(this.name + ' ' + problem);
		}
	}

	/**
	 * Kills the process. Nothing is lost, because the brokers have written everything
	 * that they have acknowledged.
	 */
	synchronized void close() {
		this.closed = true;
		if (this.process != null) {
			Programs.awaitExit(this.process.destroyForcibly());
		}
	}

}
