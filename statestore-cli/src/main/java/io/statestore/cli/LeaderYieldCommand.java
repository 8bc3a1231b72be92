package io.statestore.cli;

import java.time.Duration;
import java.util.Optional;

import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.LockNames;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Command {@code statestore leader yield}: ends the term of a leader. Deletes the lock of
 * the role, on the condition that its holder is unchanged. The store notifies the holder,
 * which then pauses before it takes part in the election again. The next leader has a
 * greater token, so the store refuses stale writes of the earlier one.
 */
@Command(name = "yield", description = "Makes the leader of a role give it up, and waits for the next leader.")
final class LeaderYieldCommand extends StoreCommand {

	private static final long POLL_MILLIS = 50;

	@Parameters(index = "0", paramLabel = "<role>",
			description = "Role: the key of its lock, including the prefix of lock keys")
	private String role = "";

	@Option(names = "--wait", paramLabel = "<time>", defaultValue = "5s", converter = DurationConverter.class,
			description = "Maximum wait for the next leader (default: ${DEFAULT-VALUE})")
	private Duration wait = Duration.ofSeconds(5);

	@Mixin
	private final OutputOptions output = new OutputOptions();

	@Override
	int run(Session session) throws InterruptedException {
		StateStoreTemplate template = session.template();
		Key key = Key.of(this.role);
		Optional<Entry<Bytes>> lock = template.get(key, Bytes.class);
		if (lock.isEmpty()) {
			message("No instance leads '" + this.role + "'. Use the key of the lock, including its prefix");
			return ExitCodes.NOT_MET;
		}
		Bytes holder = lock.get().value();
		if (LockNames.isHolder(holder) && !LockNames.isLeader(holder)) {
			message("The key '" + this.role + "' is a lock that is held by "
					+ LockListing.holder(LockListing.lock(lock.get()))
					+ ", not the role of a leader. Show it with 'statestore locks', and end the holder instead");
			return ExitCodes.NOT_MET;
		}
		if (!LockNames.isLeader(holder)) {
			message("The key '" + this.role + "' is not a lock of a client of this project. If it is a lock of another "
					+ "program, delete it with 'vdel' and its value");
			return ExitCodes.NOT_MET;
		}
		if (!template.deleteIfEquals(key, holder).deleted()) {
			message("The leader of '" + this.role + "' has changed in the meantime. Show it with 'leader', and repeat "
					+ "the command if necessary");
			return ExitCodes.NOT_MET;
		}
		message(LockListing.holder(LockListing.lock(lock.get())) + " no longer leads '" + this.role + "'");
		return awaitNext(template, key);
	}

	private int awaitNext(StateStoreTemplate template, Key key) throws InterruptedException {
		long end = System.nanoTime() + this.wait.toNanos();
		do {
			Optional<Entry<Bytes>> lock = template.get(key, Bytes.class);
			if (lock.isPresent()) {
				try (RecordWriter records = this.output.records("role", "leader", "since", "token")) {
					records.write(key, LockListing.holder(LockListing.lock(lock.get())),
							Versions.time(lock.get().version()), lock.get().version());
				}
				return ExitCodes.OK;
			}
			Thread.sleep(POLL_MILLIS);
		}
		while (System.nanoTime() - end < 0);
		message("No instance has taken over '" + this.role + "' yet. Check that another instance is running; "
				+ "the earlier leader may lead again");
		return ExitCodes.NOT_MET;
	}

}
