package io.statestore.client.lock;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.statestore.client.CommandInvoker;
import io.statestore.client.DeleteResult.Outcome;
import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.SetResult;
import io.statestore.client.SetSpec;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Reads one key, computes a new value, and writes it under a tenure.
 * <p>
 * The store compares tokens only when a key is written (protocol section 5). Between the
 * read and the write it still accepts a late write of an earlier holder. The value read
 * is therefore claimed before the write: stored again under the token of the tenure,
 * provided that it is unchanged. A key that was last written in this tenure has the token
 * already. A key that is absent carries no token; it is only set if it still is absent.
 */
final class KeyUpdate<T> {

	private final Key key;

	private final Class<T> type;

	private final Function<Optional<T>, Optional<T>> change;

	private final Tenure tenure;

	private final StateStoreOperations operations;

	private final WrittenVersions written;

	/** Value as it was read, {@code null} if the key is absent. */
	private volatile @Nullable Bytes value;

	private volatile @Nullable Version version;

	/**
	 * @param template sends its commands within the tenure
	 */
	KeyUpdate(Key key, Class<T> type, Function<Optional<T>, Optional<T>> change, Tenure tenure,
			StateStoreTemplate template, WrittenVersions written) {
		this.key = key;
		this.type = type;
		this.change = change;
		this.tenure = tenure;
		this.operations = template.withInvoker(this::recording).fencedBy(tenure.token());
		this.written = written;
	}

	private CommandInvoker recording(CommandInvoker invoker) {
		return (command, options) -> {
			CompletableFuture<CommandInvoker.Response> reply = invoker.invokeForWaiter(command, options);
			return (command instanceof Command.Get) ? reply.thenApply(this::record) : reply;
		};
	}

	private CommandInvoker.Response record(CommandInvoker.Response response) {
		this.value = (response.reply() instanceof Reply.Value present) ? present.value() : null;
		this.version = response.version();
		return response;
	}

	/** Repeats the update until no other write comes between read and write. */
	Optional<T> run() {
		Optional<T> updated;
		do {
			Optional<T> current = operations().get(this.key, this.type).map(Entry::value);
			updated = this.change.apply(current);
		}
		while (!store(updated));
		return updated;
	}

	private boolean store(Optional<T> updated) {
		Bytes read = this.value;
		if (updated.isEmpty()) {
			return read == null || operations().deleteIfEquals(this.key, read).outcome() != Outcome.DIFFERENT;
		}
		if (read == null) {
			return recorded(operations().set(this.key, updated.get(), SetSpec::ifAbsent));
		}
		return isClaimed(read) && recorded(operations().set(this.key, updated.get()));
	}

	private boolean isClaimed(Bytes read) {
		return this.written.isLatest(this.key, this.version)
				|| operations().set(this.key, read, SetSpec::ifAbsentOrEqual).applied();
	}

	private boolean recorded(SetResult result) {
		if (result.applied()) {
			this.written.add(this.key, result.version());
		}
		return result.applied();
	}

	private StateStoreOperations operations() {
		return this.tenure.withinLease(this.operations);
	}

}
