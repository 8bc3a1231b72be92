package io.statestore.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.HeldLock;
import io.statestore.client.lock.LockLostEvent;
import io.statestore.client.lock.LockLostException;
import io.statestore.client.lock.LockOptions;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Command {@code statestore lock}: runs a program while holding a lock. Meanwhile, the
 * lock is renewed. If it is lost, the program is terminated.
 */
@Command(name = "lock",
		description = "Runs a program while holding a lock. The program finds the fencing token in the environment "
				+ "variable STATESTORE_LOCK_TOKEN and the lock's key in STATESTORE_LOCK_NAME. If this command receives "
				+ "a signal, it terminates the program and releases the lock.",
		customSynopsis = "statestore lock [OPTIONS] <name> -- <command>...",
		footer = { "", "The exit code is that of the program, 75 if the lock was not acquired in time, 76 if it was",
				"lost, 127 if the program could not be started, or 130 if a signal ended the wait." })
final class LockCommand extends StoreCommand {

	/** Exit code if another holder had the lock during the entire wait. */
	static final int NOT_ACQUIRED = 75;

	/** Exit code if the lock was lost before the program ended. */
	static final int LOST = 76;

	/** Exit code if the program could not be started, the same as in a shell. */
	static final int NOT_STARTED = 127;

	@Parameters(index = "0", paramLabel = "<name>", description = "The lock's key, including its prefix")
	private String name = "";

	@Parameters(index = "1..*", arity = "0..*", paramLabel = "<command>",
			description = "Program and its arguments. Must follow '--'")
	private List<String> command = new ArrayList<>();

	@Option(names = "--wait", paramLabel = "<time>", description = "How long to wait for the lock (default: no limit)")
	private @Nullable Duration wait;

	@Option(names = "--lease", paramLabel = "<time>", defaultValue = "30s",
			description = "How long the lock remains held if this process is killed (default: ${DEFAULT-VALUE})")
	private Duration lease = Duration.ofSeconds(30);

	@Option(names = "--grace", paramLabel = "<time>", defaultValue = "10s",
			description = "Time between SIGTERM and SIGKILL when the program is terminated (default: ${DEFAULT-VALUE})")
	private Duration grace = Duration.ofSeconds(10);

	@Override
	void validate() {
		List<String> arguments = arguments();
		int separator = arguments.size() - this.command.size() - 1;
		// Without the separator, the program's options could be mistaken for options of
		// this command.
		CliException.require(!this.command.isEmpty() && "--".equals(arguments.get(separator)),
				"The program must follow '--'; use: statestore lock [OPTIONS] <name> -- <command>...");
		LockOptions.DEFAULT.withLease(this.lease);
	}

	@Override
	int run(Session session) throws Exception {
		try (Stop stop = Stop.onSignals()) {
			FencedLock lock = acquire(session, this.name, LockOptions.DEFAULT.withLease(this.lease), this.wait, stop);
			boolean held;
			int exitCode;
			try {
				exitCode = runProgram(lock, stop);
			}
			finally {
				held = unlock(lock);
			}
			return held ? exitCode : LOST;
		}
	}

	/**
	 * Acquires a lock.
	 * @param wait maximum wait; {@code null} for no limit
	 * @param stop interrupts the wait
	 * @throws CliException if the lock was not acquired in time
	 * @throws InterruptedException if interrupted; the lock is not held
	 */
	static FencedLock acquire(Session session, String name, LockOptions options, @Nullable Duration wait, Stop stop)
			throws InterruptedException {
		FencedLock lock = session.locks(options.withHolderName(session.connection().getClientId())).obtain(name);
		// Fails with the reason if there is no connection.
		session.template().get(lock.key(), Bytes.class);
		stop.perform(Thread.currentThread()::interrupt);
		if (wait == null) {
			lock.lockInterruptibly();
		}
		else if (!lock.tryLock(wait.toNanos(), TimeUnit.NANOSECONDS)) {
			throw new CliException(NOT_ACQUIRED,
					"Lock '" + name + "' is held by " + lock.holder().orElse("another client")
							+ ", and was not free in time, so nothing was done. Wait longer, or try again later");
		}
		stop.perform(Stop.NO_ACTION);
		if (Thread.interrupted()) {
			unlock(lock);
			throw new InterruptedException();
		}
		return lock;
	}

	private int runProgram(FencedLock lock, Stop stop) throws InterruptedException {
		HeldLock held = lock.heldLock();
		ProcessBuilder builder = new ProcessBuilder(this.command).inheritIO();
		builder.environment().put("STATESTORE_LOCK_NAME", this.name);
		builder.environment().put("STATESTORE_LOCK_TOKEN", held.token().toString());
		Program program;
		try {
			program = new Program(builder.start(), this.grace);
		}
		catch (IOException ex) {
			message("The program could not be started: " + ex.getMessage());
			return NOT_STARTED;
		}
		stop.perform(program::terminate);
		Consumer<LockLostEvent> listener = (loss) -> {
			message("Terminating the program, because the lock was lost: " + loss.description());
			program.terminate();
		};
		lock.addLossListener(listener);
		// Covers a loss before the listener was added.
		held.loss().ifPresent(listener);
		try {
			return program.await();
		}
		finally {
			lock.removeLossListener(listener);
		}
	}

	/** Releases the lock and returns whether it was held until then. */
	static boolean unlock(FencedLock lock) {
		try {
			lock.unlock();
			return true;
		}
		catch (LockLostException ex) {
			return false;
		}
	}

}
