package io.statestore.client.lock;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
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
 * Updates of keys in one tenure. An update reads the value, computes a new one, and
 * writes it, without losing a write in between.
 * <p>
 * The store compares tokens only when a key is written (protocol section 5). Between the
 * read and the write it still accepts a late write of an earlier holder. The update
 * therefore claims the key before it writes the new value: it stores the value it has
 * read again, under the token of the tenure. The store applies this only if the key is
 * absent or still has that value. A key that was last written in this tenure has the
 * token already. An absent key has no token; it is only set if it is still absent.
 * <p>
 * If the value has changed, the update starts again (optimistic concurrency control, Kung
 * and Robinson 1981). The store cannot distinguish the writes of the threads that share
 * the tenure, so these run their updates one after the other.
 */
final class KeyUpdates {

	private static final Duration MAX_REPLY_TIME = Duration.ofSeconds(10);

	/** Maximum number of written keys. Beyond it all must be claimed again. */
	private static final int MAX_WRITTEN = 10_000;

	/** Versions of the keys that were written in this tenure, and have its token. */
	private final Map<Key, Version> written = new ConcurrentHashMap<>();

	/** Held by the thread that updates a key. */
	private final LocalLock<Void> updating;

	private final LeaseStatus lease;

	private final StateStoreTemplate template;

	/**
	 * Creates the updates of a tenure.
	 * @param template sends the commands of the tenure
	 */
	KeyUpdates(LeaseStatus lease, LockTime time, StateStoreTemplate template) {
		this.lease = lease;
		this.template = template;
		this.updating = new LocalLock<>(time, lease::requireValid);
	}

	/** Updates a key, see {@link HeldLock#update(Key, Class, Function)}. */
	<T> Optional<T> update(Key key, Class<T> type, Function<Optional<T>, Optional<T>> change) {
		this.updating.lock();
		try {
			Update<T> update = new Update<>(key);
			while (true) {
				Optional<T> updated = change.apply(update.operations().get(key, type).map(Entry::value));
				if (update.tryStore(updated)) {
					return updated;
				}
			}
		}
		finally {
			this.updating.unlock();
		}
	}

	/** Update of one key. */
	private final class Update<T> {

		private final Key key;

		private final StateStoreOperations fenced;

		/** Encoded value in the latest read, {@code null} if the key is absent. */
		private volatile @Nullable Bytes value;

		/** Version in the latest read. */
		private volatile @Nullable Version version;

		Update(Key key) {
			this.key = key;
			this.fenced = KeyUpdates.this.template.withInvoker(this::recording).fencedBy(KeyUpdates.this.lease.token());
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

		/** Returns the operations with a timeout within the rest of the lease. */
		StateStoreOperations operations() {
			KeyUpdates.this.lease.requireValid();
			Duration remaining = LockTerms.atLeastOneMilli(KeyUpdates.this.lease.remaining());
			return this.fenced.withTimeout(LockTerms.min(remaining, MAX_REPLY_TIME));
		}

		/** Writes a value, and returns {@code false} if the stored one has changed. */
		boolean tryStore(Optional<T> updated) {
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
			Version version = this.version;
			return (version != null && version.equals(KeyUpdates.this.written.get(this.key)))
					|| operations().set(this.key, read, SetSpec::ifAbsentOrEqual).applied();
		}

		private boolean recordWrite(SetResult result) {
			if (result.applied()) {
				if (KeyUpdates.this.written.size() >= MAX_WRITTEN) {
					KeyUpdates.this.written.clear();
				}
				KeyUpdates.this.written.put(this.key, result.version());
			}
			return result.applied();
		}

	}

}
