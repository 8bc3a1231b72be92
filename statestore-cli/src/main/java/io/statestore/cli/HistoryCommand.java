package io.statestore.cli;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;

import io.statestore.client.Key;
import io.statestore.client.history.StateHistory;
import io.statestore.protocol.StoredChange;
import io.statestore.protocol.StoredChange.Operation;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Command {@code statestore history}: prints changes of keys from the server's history.
 */
@Command(name = "history",
		description = "Prints who changed a key and when. Requires this project's server with a history.")
final class HistoryCommand extends ResultCommand {

	/**
	 * Timeout for reading a page. A server takes up to 100 ms, or as long as its disk
	 * needs.
	 */
	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final Duration POLL = Duration.ofSeconds(1);

	@Parameters(index = "0", arity = "0..1", paramLabel = "<key>", defaultValue = "*",
			converter = Converters.Pattern.class, description = "Key, or key pattern as in scan (default: all keys)")
	private String pattern = "*";

	@Option(names = { "-n", "--last" }, paramLabel = "<number>",
			description = "Print only this number of the latest changes")
	private long last;

	@Option(names = "--since", paramLabel = "<time>",
			description = "Print only changes made within this time, such as 30m or 7d")
	private @Nullable Duration since;

	@Option(names = { "-f", "--follow" }, description = "Continue with new changes. Stop with Ctrl+C")
	private boolean follow;

	@Mixin
	private final ShownValue.Show show = new ShownValue.Show();

	/** Version of the latest change that was read. */
	private @Nullable Version read;

	@Override
	int run(Session session) {
		if (this.since != null) {
			long begin = Instant.now().minus(this.since).toEpochMilli();
			this.read = new Version(Math.max(0, begin), 0, "since");
		}
		session.connect();
		StateHistory history = new StateHistory(session.connection(), TIMEOUT);
		try (RecordWriter records = records("time version who operation key value"); Stop stop = Stop.onSignals()) {
			if (this.last > 0) {
				latest(history, this.last).forEach((change) -> write(records, change));
			}
			else {
				readNew(history, records);
			}
			records.flush();
			while (this.follow && !stop.await(POLL)) {
				readNew(history, records);
				records.flush();
			}
		}
		return ExitCodes.OK;
	}

	/** Returns the latest changes in order. */
	private Deque<StoredChange> latest(StateHistory history, long count) {
		Version after = this.read;
		Deque<StoredChange> changes = new ArrayDeque<>();
		history.latest(this.pattern)
			.takeWhile((change) -> after == null || change.version().compareTo(after) > 0)
			.limit(count)
			.forEach(changes::addFirst);
		if (!changes.isEmpty()) {
			this.read = changes.getLast().version();
		}
		return changes;
	}

	/** Prints the changes after those already read. */
	private void readNew(StateHistory history, RecordWriter records) {
		history.changes(this.pattern, this.read).forEach((change) -> {
			// Keys that already existed may have older versions.
			if (this.read == null || change.version().compareTo(this.read) > 0) {
				this.read = change.version();
			}
			if (change.operation() != Operation.PRESENT) {
				write(records, change);
			}
		});
	}

	private void write(RecordWriter records, StoredChange change) {
		records.write(Texts.time(change.version()), change.version(), who(change),
				change.operation().name().toLowerCase(Locale.ROOT),
				change.key().isEmpty() ? null : new Key(change.key()),
				(change.operation() == Operation.SET) ? this.show.of(change.value()) : null);
	}

	/**
	 * Returns the user that the client logged in as, if known. Otherwise, returns the
	 * author in a command's client ID, or any other client ID as is.
	 */
	static @Nullable String who(StoredChange change) {
		String client = change.client();
		return (change.principal() != null || client == null) ? change.principal()
				: Author.in(client).map(Author::name).orElse(client);
	}

}
