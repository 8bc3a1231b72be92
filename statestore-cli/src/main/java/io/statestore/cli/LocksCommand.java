package io.statestore.cli;

import io.statestore.client.Key;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code statestore locks}: lists locks in a store. */
@Command(name = "locks",
		description = "Lists the held locks with their holders and last renewals. If you have the right to administer "
				+ "this project's server, it also shows fencing tokens, the time left, and waiters, including clients "
				+ "that only watch the lock.")
final class LocksCommand extends LockListing {

	@Parameters(index = "0", arity = "0..1", paramLabel = "<pattern>", defaultValue = "*",
			converter = Converters.Pattern.class, description = "Key pattern, as in scan (default: ${DEFAULT-VALUE})")
	private String pattern = "*";

	@Option(names = "--all",
			description = "Also list keys that may be other programs' locks, because they were set if absent and with "
					+ "an expiry. If the server does not answer administration requests, list all keys that match the "
					+ "pattern")
	private boolean all;

	@Override
	int run(Session session) {
		return list("key holder client principal renewed token left waiters next",
				(records) -> forEachLock(session, this.pattern, this.all,
						(lock) -> records.write(new Key(lock.key()), holder(lock.holder()), lock.client(),
								lock.principal(), Texts.time(lock.version()), lock.token(),
								Texts.seconds(lock.remaining()), waiters(lock), lock.successor())));
	}

}
