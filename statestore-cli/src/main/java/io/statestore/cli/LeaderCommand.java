package io.statestore.cli;

import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.client.Key;
import io.statestore.protocol.GlobPattern;
import io.statestore.protocol.LockNames;
import io.statestore.protocol.StoredLock;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Command {@code statestore leader}: shows the leaders of roles. */
@Command(name = "leader", subcommands = LeaderYieldCommand.class,
		description = "Shows the leader of a role, or of all roles.")
final class LeaderCommand extends StoreCommand {

	@Parameters(index = "0", arity = "0..1", paramLabel = "<role>",
			description = "Role: the key of its lock, including the prefix of lock keys (default: all)")
	private @Nullable String role;

	@Mixin
	private final OutputOptions output = new OutputOptions();

	@Override
	int run(Session session) {
		AtomicInteger leaders = new AtomicInteger();
		try (RecordWriter records = this.output.records("role", "leader", "since", "renewed", "token", "left",
				"candidates")) {
			String pattern = (this.role != null) ? GlobPattern.escape(this.role) : "*";
			new LockListing(session, this::message).forEach(pattern, false, (lock) -> {
				if (LockNames.isLeader(lock.holder())) {
					leaders.incrementAndGet();
					write(records, lock);
				}
			});
		}
		if (this.role != null && leaders.get() == 0) {
			message("No instance leads '" + this.role + "'. Use the key of the lock, including its prefix");
			return ExitCodes.NOT_MET;
		}
		return ExitCodes.OK;
	}

	private static void write(RecordWriter records, StoredLock lock) {
		records.write(new Key(lock.key()), LockListing.holder(lock),
				(lock.token() != null) ? Versions.time(lock.token()) : null, Versions.time(lock.version()),
				lock.token(), LockListing.secondsLeft(lock), (lock.waiterCount() >= 0) ? lock.waiterCount() : null);
	}

}
