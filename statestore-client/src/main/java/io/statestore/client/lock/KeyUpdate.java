package io.statestore.client.lock;

import java.time.Duration;
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
 * Update of one key under a tenure: reads the value, computes a new one, and writes it,
 * without losing a write in between.
 * <p>
 * The store compares tokens only when a key is written (protocol section 5). Between the
 * read and the write it still accepts a late write of an earlier holder. The update
 * therefore claims the key before it writes the new value: it stores the value it has
 * read again, under the token of the tenure. The store applies this only if the key is
 * absent or still has that value. A key that was last written in this tenure has the
 * token already. An absent key has no token; it is only set if it is still absent.
 * <p>
 * If the value has changed, the update starts again (optimistic concurrency control, Kung
 * and Robinson 1981).
 */
final class KeyUpdate<T> {

	private static final Duration MAX_REPLY_TIME = Duration.ofSeconds(10);

	private final Key key;

	private final Class<T> type;

	private final Function<Optional<T>, Optional<T>> change;

	private final LeaseStatus lease;

	private final StateStoreOperations operations;

	private final WrittenVersions written;

	/** Encoded value in the latest read, {@code null} if the key is absent. */
	private volatile @Nullable Bytes value;

	/** Version in the latest read. */
	private volatile @Nullable Version version;

	/**
	 * Creates an update.
	 * @param template sends the commands of the tenure
	 * @param written keys written in the tenure
	 */
	KeyUpdate(Key key, Class<T> type, Function<Optional<T>, Optional<T>> change, Lease lease,
			StateStoreTemplate template, WrittenVersions written) {
		this.key = key;
		this.type = type;
		this.change = change;
		this.lease = lease.status();
		this.operations = template.withInvoker(this::recording).fencedBy(lease.token());
		this.written = written;
	}

	/** Returns an invoker that records what it reads. */
	private CommandInvoker recording(CommandInvoker invoker) {
		return (command, options) -> {
			CompletableFuture<CommandInvoker.Response> reply = invoker.invokeForWaiter(command, options);
			return (command instanceof Command.Get) ? reply.thenApply(this::recordRead) : reply;
		};
	}

	private CommandInvoker.Response recordRead(CommandInvoker.Response response) {
		this.value = (response.reply() instanceof Reply.Value present) ? present.value() : null;
		this.version = response.version();
		return response;
	}

	/**
	 * Repeats the update until no other write comes between read and write.
	 * @return the stored value, empty if the key was deleted
	 */
	Optional<T> run() {
		Optional<T> updated;
		do {
			Optional<T> current = operations().get(this.key, this.type).map(Entry::value);
			updated = this.change.apply(current);
		}
		while (!tryStore(updated));
		return updated;
	}

	/** Writes the new value, and returns {@code false} if the stored one has changed. */
	private boolean tryStore(Optional<T> updated) {
		Bytes read = this.value;
		if (updated.isEmpty()) {
			return read == null || operations().deleteIfEquals(this.key, read).outcome() != Outcome.DIFFERENT;
		}
		if (read == null) {
			return recordWrite(operations().set(this.key, updated.get(), SetSpec::ifAbsent));
		}
		return claim(read) && recordWrite(operations().set(this.key, updated.get()));
	}

	private boolean claim(Bytes read) {
		return this.written.isLatest(this.key, this.version)
				|| operations().set(this.key, read, SetSpec::ifAbsentOrEqual).applied();
	}

	private boolean recordWrite(SetResult result) {
		if (result.applied()) {
			this.written.add(this.key, result.version());
		}
		return result.applied();
	}

	/** Returns the operations with a timeout within the rest of the lease. */
	private StateStoreOperations operations() {
		this.lease.requireValid();
		Duration remaining = LockTerms.atLeastOneMilli(this.lease.remaining());
		return this.operations.withTimeout(LockTerms.min(remaining, MAX_REPLY_TIME));
	}

}
