package io.statestore.cli;

import java.time.Duration;
import java.util.function.Function;

import io.statestore.client.StateStoreOperations;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Options for writing with a fencing token, or under a lock. The command waits for the
 * lock like any other client, and its writes carry the fencing token. It never bypasses
 * the lock.
 */
final class UnderLock extends TokenOption {

	@Option(names = "--under-lock", paramLabel = "<name>",
			description = "Write with this lock's token: wait for the lock, acquire it, write, and release it")
	private @Nullable String name;

	@Option(names = "--wait", paramLabel = "<time>",
			description = "With --under-lock: how long to wait for the lock. The exit code is 75 if it is not free in "
					+ "time (default: no limit)")
	private @Nullable Duration wait;

	/**
	 * Checks the options.
	 * @throws CliException if a wait is set without a lock, or both a lock and a token
	 * are set
	 */
	void validate() {
		CliException.require(this.wait == null || this.name != null,
				"--wait requires --under-lock; set the name of the lock, or omit --wait");
		CliException.require(this.name == null || !isSet(),
				"--under-lock uses the token of its lock; omit --token, or omit --under-lock");
	}

	/**
	 * Runs writes, under the lock if there is one. A signal interrupts the wait for the
	 * lock but not the writes, because their outcome would be unknown.
	 * @param session connection to the server
	 * @param writes performs the writes with operations that carry the token
	 * @return the result of {@code writes}
	 * @throws CliException if the lock was not acquired in time; nothing was written
	 * @throws InterruptedException if interrupted while waiting for the lock
	 */
	<T> T run(Session session, Function<StateStoreOperations, T> writes) throws InterruptedException {
		if (this.name == null) {
			return writes.apply(apply(session.template()));
		}
		try (Stop stop = Stop.onSignals()) {
			FencedLock lock = LockCommand.acquire(session, this.name, LockOptions.DEFAULT, this.wait, stop);
			try {
				return writes.apply(lock.operations());
			}
			finally {
				LockCommand.unlock(lock);
			}
		}
	}

}
