package io.statestore.cli;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.GlobPattern;
import io.statestore.protocol.LockNames;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code statestore leader}: shows the leaders of roles. */
@Command(name = "leader", subcommands = LeaderCommand.Resign.class,
		description = "Shows the leader of one role or of all roles. The candidates include clients that only watch the "
				+ "role's lock.")
final class LeaderCommand extends ResultCommand {

	@Parameters(index = "0", arity = "0..1", paramLabel = "<role>",
			description = "Role, which is its lock's key, including the prefix of lock keys (default: all roles)")
	private @Nullable String role;

	@Override
	int run(Session session) {
		AtomicBoolean found = new AtomicBoolean(this.role == null);
		try (RecordWriter records = records("role", "leader", "since", "renewed", "token", "left", "candidates")) {
			String pattern = (this.role != null) ? GlobPattern.escape(this.role) : "*";
			new LockListing(session, this::message).forEach(pattern, false, (lock) -> {
				if (LockNames.isLeader(lock.holder())) {
					found.set(true);
					records.write(new Key(lock.key()), LockListing.holder(lock.holder()),
							(lock.token() != null) ? Versions.time(lock.token()) : null, Versions.time(lock.version()),
							lock.token(), Versions.seconds(lock.remaining()), LockListing.waiters(lock));
				}
			});
		}
		return found.get() ? ExitCodes.OK : notLed(this, this.role);
	}

	private static int notLed(StoreCommand command, @Nullable String role) {
		return command.notMet("No instance leads '" + role + "'. Use the key of the lock, including its prefix");
	}

	/**
	 * Command {@code statestore leader resign}: ends a leader's term. Deletes the role's
	 * lock on condition that its holder is unchanged. The store notifies the holder,
	 * which then pauses before it takes part in the election again. The next leader has a
	 * greater token, so the store refuses the previous leader's stale writes.
	 */
	@Command(name = "resign", description = "Makes the leader give up its role and waits for the next leader.")
	static final class Resign extends ResultCommand {

		private static final long POLL_MILLIS = 50;

		@Parameters(index = "0", paramLabel = "<role>",
				description = "Role, which is its lock's key, including the prefix of lock keys")
		private String role = "";

		@Option(names = "--wait", paramLabel = "<time>", defaultValue = "5s",
				description = "How long to wait for the next leader (default: ${DEFAULT-VALUE})")
		private Duration wait = Duration.ofSeconds(5);

		@Override
		int run(Session session) throws InterruptedException {
			StateStoreTemplate template = session.template();
			Key key = Key.of(this.role);
			Optional<Entry<Bytes>> lock = template.get(key, Bytes.class);
			if (lock.isEmpty()) {
				return notLed(this, this.role);
			}
			Bytes holder = lock.get().value();
			if (!LockNames.isLeader(holder)) {
				return notMet("The key '" + this.role + (LockNames.isHolder(holder) ? "' is a lock that is held by "
						+ LockListing.holder(holder)
						+ ", not the role of a leader. Show it with 'statestore locks', and end the holder instead"
						: "' is not a lock of a client of this project. If it is a lock of another program, delete it "
								+ "with 'del --if-equal' and its value"));
			}
			if (!template.deleteIfEquals(key, holder).deleted()) {
				return notMet("The leader of '" + this.role + "' has changed in the meantime. Show it with 'leader', "
						+ "and repeat the command if necessary");
			}
			message(LockListing.holder(holder) + " no longer leads '" + this.role + "'");
			return awaitNext(template, key);
		}

		private int awaitNext(StateStoreTemplate template, Key key) throws InterruptedException {
			long end = System.nanoTime() + this.wait.toNanos();
			do {
				Optional<Entry<Bytes>> lock = template.get(key, Bytes.class);
				if (lock.isPresent()) {
					try (RecordWriter records = records("role", "leader", "since", "token")) {
						records.write(key, LockListing.holder(lock.get().value()), Versions.time(lock.get().version()),
								lock.get().version());
					}
					return ExitCodes.OK;
				}
				Thread.sleep(POLL_MILLIS);
			}
			while (System.nanoTime() - end < 0);
			return notMet("No instance has taken over '" + this.role + "' yet. Check that another instance is running; "
					+ "the earlier leader may lead again");
		}

	}

}
