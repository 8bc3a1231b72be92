package io.statestore.sample.room;

import java.time.Duration;
import java.util.List;

/**
 * Pause of a process, which is stopped with SIGSTOP. A shell continues it after a time,
 * so that it also continues if this control room is killed.
 */
final class Pause {

	private final Process shell;

	/**
	 * Stops a process.
	 * @param over called after the time, or after {@link #end()}
	 */
	Pause(long pid, Duration time, Runnable over) {
		this.shell = Programs.start("pause",
				List.of("/bin/sh", "-c", "sleep " + time.toSeconds() + "; kill -CONT " + pid));
		try {
			Programs.signal("STOP", pid);
		}
		catch (RuntimeException ex) {
			end();
			throw ex;
		}
		this.shell.onExit().thenRun(over);
	}

	/** Ends the shell, which then does not continue the process. */
	void end() {
		List<ProcessHandle> children = this.shell.descendants().toList();
		// First, because it would continue the process when 'sleep' ends.
		this.shell.destroyForcibly();
		children.forEach(ProcessHandle::destroyForcibly);
	}

}
