package io.statestore.cli;

import java.time.Duration;
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
final class LeaderCommand extends LockListing {

	private static final String NOT_LED = "No instance leads '%s'. Use the key of the lock, including its prefix";

	@Parameters(index = "0", arity = "0..1", paramLabel = "<role>",
			description = "Role, which is its lock's key, including the prefix of lock keys (default: all roles)")
	private @Nullable String role;

	@Override
	int run(Session session) {
		AtomicBoolean found = new AtomicBoolean(this.role == null);
		String pattern = (this.role != null) ? GlobPattern.escape(this.role) : "*";
		list("role leader since renewed token left candidates",
				(records) -> forEachLock(session, pattern, false, (lock) -> {
					if (LockNames.isLeader(lock.holder())) {
						found.set(true);
						records.write(new Key(lock.key()), holder(lock.holder()),
								(lock.token() != null) ? Texts.time(lock.token()) : null, Texts.time(lock.version()),
								lock.token(), Texts.seconds(lock.remaining()), waiters(lock));
					}
				}));
		return found.get() ? ExitCodes.OK : notMet(NOT_LED.formatted(this.role));
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
			Bytes value = template.getValue(this.role, Bytes.class).orElse(null);
			if (value == null) {
				return notMet(NOT_LED.formatted(this.role));
			}
			if (!LockNames.isLeader(value)) {
				return notMet("The key '" + this.role + (LockNames.isHolder(value) ? "' is a lock that is held by "
						+ holder(value)
						+ ", not the role of a leader. Show it with 'statestore locks', and end the holder instead"
						: "' is not a lock of a client of this project. If it is a lock of another program, delete it "
								+ "with 'del --if-equal' and its value"));
			}
			if (!template.deleteIfEquals(this.role, value).deleted()) {
				return notMet("The leader of '" + this.role + "' has changed in the meantime. Show it with 'leader', "
						+ "and repeat the command if necessary");
			}
			message(holder(value) + " no longer leads '" + this.role + "'");
			long start = System.nanoTime();
			do {
				Entry<Bytes> next = template.get(this.role, Bytes.class).orElse(null);
				if (next != null) {
					return list("role leader since token", (records) -> records.write(next.key(), holder(next.value()),
							Texts.time(next.version()), next.version()));
				}
				Thread.sleep(POLL_MILLIS);
			}
			while (System.nanoTime() - start < this.wait.toNanos());
			return notMet("No instance has taken over '" + this.role + "' yet. Check that another instance is running; "
					+ "the earlier leader may lead again");
		}

	}

}
