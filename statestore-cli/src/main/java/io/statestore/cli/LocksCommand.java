package io.statestore.cli;

import io.statestore.client.Key;
import io.statestore.protocol.StoredLock;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code statestore locks}: lists the locks of a store. */
@Command(name = "locks",
		description = "Lists the held locks with holder and last renewal. A server of this project that authorizes the "
				+ "request also shows the fencing token, the time left, and the waiters.")
final class LocksCommand extends StoreCommand {

	@Parameters(index = "0", arity = "0..1", paramLabel = "<pattern>", defaultValue = "*",
			description = "Pattern of the keys, as in scan (default: ${DEFAULT-VALUE})")
	private String pattern = "*";

	@Option(names = "--all",
			description = "Also list keys that may be locks of other programs, because they were set with "
					+ "an expiry if absent. If the server does not answer administration requests, "
					+ "list all keys that match the pattern")
	private boolean all;

	@Mixin
	private final OutputOptions output = new OutputOptions();

	@Override
	void validate() {
		ScanCommand.requirePattern(this.pattern);
	}

	@Override
	int run(Session session) {
		try (RecordWriter records = this.output.records("key", "holder", "client", "principal", "renewed", "token",
				"left", "waiters", "next")) {
			new LockListing(session, this::message).forEach(this.pattern, this.all, (lock) -> write(records, lock));
		}
		return ExitCodes.OK;
	}

	private static void write(RecordWriter records, StoredLock lock) {
		records.write(new Key(lock.key()), LockListing.holder(lock), lock.client(), lock.principal(),
				Versions.time(lock.version()), lock.token(), LockListing.secondsLeft(lock), waiters(lock),
				lock.successor());
	}

	private static @Nullable Integer waiters(StoredLock lock) {
		return (lock.waiterCount() >= 0) ? lock.waiterCount() : null;
	}

}
