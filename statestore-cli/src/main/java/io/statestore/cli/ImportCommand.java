package io.statestore.cli;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.Key;
import io.statestore.client.SetResult;
import io.statestore.client.SetSpec;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreRefusedException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.core.JsonParser;

/** Command {@code statestore import}: stores entries printed by {@code export}. */
@Command(name = "import",
		description = "Reads the output of 'export' from standard input and stores its entries. Stops at the first key "
				+ "that exists, unless an option says how to treat existing keys.")
final class ImportCommand extends ResultCommand {

	private static final int MAX_IN_FLIGHT = 100;

	@Option(names = "--overwrite", description = "Replace existing keys")
	private boolean overwrite;

	@Option(names = "--skip-existing", description = "Leave existing keys unchanged and count them")
	private boolean skipExisting;

	@Option(names = "--persist", description = "Keep the keys across restarts, on servers that keep only such keys")
	private boolean persistent;

	@Mixin
	private final TokenOption token = new TokenOption();

	/** Sent entries that await a reply, in the order of their lines. */
	private final Deque<Write> writes = new ArrayDeque<>();

	private long imported;

	private long skipped;

	/** Failure of the first entry that was not stored. */
	private @Nullable CliException failure;

	@Override
	void validate() {
		CliException.require(!this.overwrite || !this.skipExisting,
				"--overwrite and --skip-existing exclude each other; omit one of them");
	}

	@Override
	int run(Session session) {
		StateStoreOperations operations = this.token.apply(session.template());
		try (JsonParser parser = Json.parser(environment().in())) {
			EntryLine entry = EntryLine.read(parser);
			while (entry != null) {
				send(entry, operations);
				entry = (this.failure == null) ? EntryLine.read(parser) : null;
			}
		}
		finally {
			while (!this.writes.isEmpty()) {
				awaitFirst(operations);
			}
			print("imported skipped", this.imported, this.skipped);
			if (this.failure != null) {
				// This failure takes precedence over an invalid line, which comes later.
				throw this.failure;
			}
		}
		return ExitCodes.OK;
	}

	private void send(EntryLine entry, StateStoreOperations operations) {
		try {
			this.writes.add(
					new Write(entry, operations.async().set(entry.key(), entry.value(), (spec) -> apply(spec, entry))));
		}
		catch (IllegalArgumentException ex) {
			throw EntryLine.invalid(entry.line(), ex.getMessage());
		}
		if (this.writes.size() == MAX_IN_FLIGHT) {
			awaitFirst(operations);
		}
	}

	private void apply(SetSpec spec, EntryLine entry) {
		if (entry.timeToLive() != null) {
			spec.expire(entry.timeToLive());
		}
		if (!this.overwrite) {
			spec.ifAbsent();
		}
		if (this.persistent) {
			spec.persistent();
		}
	}

	private void awaitFirst(StateStoreOperations operations) {
		Write write = this.writes.remove();
		EntryLine entry = write.entry();
		try {
			if (isApplied(write.reply(), entry.key(), operations)) {
				this.imported++;
			}
			else if (this.skipExisting) {
				this.skipped++;
			}
			else {
				fail(entry, ExitCodes.NOT_MET, "key " + entry.key().quoted() + " exists. Repeat the command with "
						+ "--skip-existing to keep such keys, or with --overwrite to replace them");
			}
		}
		catch (StateStoreException ex) {
			fail(entry, Failures.exitCode(ex), Failures.message(ex));
		}
	}

	/** Returns whether an entry was stored; {@code false} if its key exists. */
	private boolean isApplied(CompletableFuture<SetResult> reply, Key key, StateStoreOperations operations) {
		try {
			return Session.await(reply).applied();
		}
		catch (StateStoreRefusedException ex) {
			// The store checks rights and tokens before the condition.
			if (this.overwrite || !operations.exists(key)) {
				throw ex;
			}
			return false;
		}
	}

	private void fail(EntryLine entry, int exitCode, String message) {
		if (this.failure == null) {
			this.failure = new CliException(exitCode, "Line " + entry.line() + ": " + message);
		}
	}

	/** A sent entry and the store's reply. */
	private record Write(EntryLine entry, CompletableFuture<SetResult> reply) {
	}

}
