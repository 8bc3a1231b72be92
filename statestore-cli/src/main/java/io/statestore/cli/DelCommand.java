package io.statestore.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.DeleteResult;
import io.statestore.client.DeleteResult.Outcome;
import io.statestore.client.Key;
import io.statestore.client.KeyScan;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code statestore del}: deletes a key or all keys that match a pattern. */
@Command(name = "del", description = "Deletes a key or, with --pattern, all keys that match a pattern.")
final class DelCommand extends KeyCommand {

	/** Number of matching keys shown before asking for confirmation. */
	private static final int SHOWN = 10;

	/** Maximum number of keys whose versions are kept in memory. */
	private static final int MAX_LISTED = 500_000;

	@Option(names = "--if-equal", paramLabel = "<value>",
			description = "Delete the key only if it has this value. Use - to read the value from standard input")
	private @Nullable String expected;

	@Mixin
	private final ValueArgument value = new ValueArgument();

	@Option(names = "--pattern",
			description = "Treat <key> as a pattern, as in scan. The command shows how many keys match and asks for "
					+ "confirmation")
	private boolean pattern;

	@Option(names = { "-y", "--yes" }, description = "With --pattern: skip the confirmation prompt")
	private boolean yes;

	@Mixin
	private final TokenOption token = new TokenOption();

	/** Versions of the listed keys. */
	private final Map<Key, Version> listed = new HashMap<>();

	private long listedBytes;

	long deleted;

	private long changed;

	private long refused;

	/** Failure of a deletion. */
	private @Nullable StateStoreException failure;

	@Override
	void validate() {
		super.validate();
		CliException.require(this.pattern || !this.yes, "--yes requires --pattern; omit it");
		if (this.pattern) {
			CliException.require(this.expected == null,
					"--pattern and --if-equal exclude each other; omit one of them");
			String text = key().bytes().toUtf8();
			CliException.require(Key.of(text).equals(key()), "Invalid <key>: a pattern must be UTF-8");
			new Converters.Pattern().convert(text);
			CliException.require(this.yes || environment().terminal(),
					"--pattern asks before it deletes keys, which requires a terminal; add --yes to delete them");
		}
	}

	@Override
	int run(Session session, Key key) throws IOException {
		StateStoreOperations operations = this.token.apply(session.template());
		if (this.pattern) {
			return deleteMatching(operations, key);
		}
		DeleteResult result = (this.expected == null) ? operations.delete(key)
				: operations.deleteIfEquals(key, this.value.read(this.expected, environment()));
		print("key deleted version time", key, result.deleted(), result.version(),
				(result.version() != null) ? Texts.time(result.version()) : null);
		if (result.deleted()) {
			return ExitCodes.OK;
		}
		return notMet("Key " + key + ((result.outcome() == Outcome.ABSENT) ? " does not exist"
				: " has another value; nothing was changed"));
	}

	private int deleteMatching(StateStoreOperations operations, Key pattern) throws IOException {
		KeyScan scan = operations.scan(pattern.bytes().toUtf8());
		if (!this.yes && !isConfirmed(operations, scan, pattern)) {
			return notMet("Nothing was deleted");
		}
		try {
			Session.forEachBatch(scan.iterator(), (keys) -> delete(operations, keys));
		}
		finally {
			print("pattern deleted changed refused", pattern, this.deleted, this.changed, this.refused);
		}
		if (this.failure != null) {
			throw this.failure;
		}
		if (this.changed > 0) {
			return notMet("Keys that have changed meanwhile were not deleted. Repeat the command to delete them");
		}
		return (this.deleted > 0) ? ExitCodes.OK : notMet("No key matches " + pattern.quoted());
	}

	/** Shows matching keys and returns whether the user at the terminal agrees. */
	private boolean isConfirmed(StateStoreOperations operations, KeyScan scan, Key pattern) throws IOException {
		Session.forEachEntry(operations, scan.iterator(), (entry) -> {
			if (this.listed.put(entry.key(), entry.version()) == null && this.listed.size() <= SHOWN) {
				message(entry.key().quoted());
			}
			this.listedBytes += entry.key().bytes().length();
			CliException.require(this.listed.size() <= MAX_LISTED && this.listedBytes <= ScanCommand.MAX_BYTES,
					"Too many keys match " + pattern.quoted() + " to list them; use a narrower pattern, or add --yes");
		});
		if (this.listed.isEmpty()) {
			message("No key matches " + pattern.quoted());
			return false;
		}
		message("Keys that match " + pattern.quoted() + ": " + this.listed.size() + ". Delete them? [y/N]");
		String answer = new BufferedReader(new InputStreamReader(environment().in(), StandardCharsets.UTF_8))
			.readLine();
		return answer != null && answer.strip().matches("(?i)y(es)?");
	}

	/**
	 * Deletes keys, each on condition that it still has the value that was read and the
	 * version that was listed.
	 */
	private void delete(StateStoreOperations operations, List<Key> keys) {
		List<CompletableFuture<DeleteResult>> replies = new ArrayList<>();
		operations.getAll(keys, Bytes.class).values().forEach((entry) -> {
			if (!this.yes && !entry.version().equals(this.listed.get(entry.key()))) {
				this.changed++;
			}
			else {
				replies.add(operations.async().deleteIfEquals(entry.key(), entry.value()));
			}
		});
		count(replies);
	}

	/**
	 * Counts all replies, even if some have failed. A refusal does not stop the command.
	 */
	void count(List<CompletableFuture<DeleteResult>> replies) {
		replies.forEach((reply) -> {
			try {
				// If the key is absent, it has expired or another client has deleted it.
				Outcome outcome = Session.await(reply).outcome();
				this.deleted += (outcome == Outcome.DELETED) ? 1 : 0;
				this.changed += (outcome == Outcome.DIFFERENT) ? 1 : 0;
			}
			catch (StateStoreException ex) {
				boolean refusal = ex instanceof StateStoreRefusedException;
				this.refused += refusal ? 1 : 0;
				this.failure = (this.failure != null && refusal) ? this.failure : ex;
			}
		});
		if (this.failure != null && !(this.failure instanceof StateStoreRefusedException)) {
			throw this.failure;
		}
	}

}
