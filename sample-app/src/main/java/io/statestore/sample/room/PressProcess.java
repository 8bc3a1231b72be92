package io.statestore.sample.room;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.statestore.sample.room.LogEntry.Kind;
import io.statestore.sample.room.Machine.State;
import org.jspecify.annotations.Nullable;

/**
 * A press that runs as a process of this control room. Thread-safe.
 */
final class PressProcess implements AutoCloseable {

	private final String name;

	private final Line line;

	private final List<Cable> cables;

	private final List<String> command;

	private @Nullable Process process;

	private @Nullable Pause pause;

	private boolean killed;

	private boolean closed;

	PressProcess(String name, Line line, List<Cable> cables, List<String> command) {
		this.name = name;
		this.line = line;
		this.cables = List.copyOf(cables);
		this.command = command;
	}

	/** Starts the process, unless a user has done so already. */
	synchronized void startUnlessRunning() {
		if (!isAlive()) {
			start();
		}
	}

	synchronized void start() {
		require(!isAlive(), "is running already");
		require(!this.closed, "cannot be started: the control room is closing");
		forgetPause();
		Process started = Programs.start(this.name, this.command);
		this.process = started;
		this.killed = false;
		started.onExit().thenRun(() -> ended(started));
		changed();
	}

	/** Throws an exception if the process cannot be paused now. */
	synchronized void requirePausable() {
		running();
		require(this.pause == null, "is paused already");
		require(Programs.canSignal(),
				"cannot be paused: this needs /bin/sh and SIGSTOP. Kill it, or cut its connection");
	}

	/** Stops the process, and continues it after a time. */
	synchronized void pause(Duration time) {
		requirePausable();
		Process paused = running();
		this.pause = new Pause(paused.pid(), time, () -> pauseEnded(paused));
		changed();
	}

	synchronized void resume() {
		require(this.pause != null, "is not paused");
		Objects.requireNonNull(this.pause).end();
	}

	private synchronized void pauseEnded(Process paused) {
		if (this.pause != null && this.process == paused && isAlive()) {
			Programs.signal("CONT", paused.pid());
			this.pause = null;
			this.line.log(Kind.CHANGE, this.name + " continues.");
			changed();
		}
	}

	private void forgetPause() {
		if (this.pause != null) {
			this.pause.end();
			this.pause = null;
		}
	}

	synchronized void kill() {
		running().destroyForcibly();
		this.killed = true;
	}

	private synchronized void ended(Process ended) {
		if (this.process == ended && !this.closed) {
			forgetPause();
			if (!this.killed) {
				this.line.log(Kind.FAILURE, this.name + " has ended with exit code " + ended.exitValue() + '.');
			}
			changed();
		}
	}

	/** Unplugs the cables for a time. */
	synchronized void cut(Duration time) {
		require(isPlugged(), "is disconnected already");
		this.cables.forEach(Cable::unplug);
		changed();
		CompletableFuture.delayedExecutor(time.toMillis(), TimeUnit.MILLISECONDS).execute(this::plug);
	}

	private synchronized void plug() {
		this.cables.forEach(Cable::plug);
		if (!this.closed) {
			if (isAlive()) {
				this.line.log(Kind.CHANGE, this.name + " can connect again.");
			}
			changed();
		}
	}

	private void changed() {
		State state = !isAlive() ? State.ENDED : (this.pause != null) ? State.PAUSED : State.RUNNING;
		long pid = (this.process != null) ? this.process.pid() : 0;
		this.line.processChanged(this.name, pid, state, isPlugged());
	}

	private boolean isPlugged() {
		return this.cables.stream().allMatch(Cable::isPlugged);
	}

	private boolean isAlive() {
		return this.process != null && this.process.isAlive();
	}

	private Process running() {
		require(isAlive(), "is not running. Start it first");
		return Objects.requireNonNull(this.process);
	}

	private void require(boolean condition, String problem) {
		if (!condition) {
			throw new IllegalStateException(this.name + ' ' + problem);
		}
	}

	/** Kills the process, because a paused one ignores SIGTERM. */
	@Override
	public synchronized void close() {
		this.closed = true;
		this.cables.forEach(Cable::close);
		if (this.process != null) {
			this.process.destroyForcibly();
		}
		forgetPause();
	}

}
