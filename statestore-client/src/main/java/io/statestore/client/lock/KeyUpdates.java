package io.statestore.client.lock;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
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
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Updates keys within a tenure. An update reads the value, computes a new value, and
 * writes it, without losing a write in between.
 * <p>
 * The store compares tokens only when a key is written (protocol section 5). Between the
 * read and the write, it still accepts a late write by an earlier holder. The update
 * therefore claims the key before it writes the new value: it writes back the value it
 * has just read, with the tenure's token. The store applies this only if the key is
 * absent or still has that value. A key that was last written in this tenure already has
 * the token. An absent key has no token; it is set only if it is still absent.
 * <p>
 * If the value has changed, the update starts again (optimistic concurrency control, Kung
 * and Robinson 1981). The store cannot distinguish between threads that share the tenure,
 * so these run their updates sequentially.
 */
final class KeyUpdates {

	private static final Duration MAX_REPLY_TIME = Duration.ofSeconds(10);

	/**
	 * Maximum size of {@link #written}. Beyond it, the map is cleared, and all keys must
	 * be claimed again.
	 */
	private static final int MAX_WRITTEN = 10_000;

	/** Versions of keys that were written in this tenure and therefore have its token. */
	private final Map<Key, Version> written = new ConcurrentHashMap<>();

	/** Held by the thread that updates a key. */
	private final LocalLock<Void> updating;

	private final LeaseStatus lease;

	private final StateStoreTemplate template;

	/**
	 * Creates an updater for a tenure.
	 * @param template sends the tenure's commands
	 */
	KeyUpdates(LeaseStatus lease, LockTime time, StateStoreTemplate template) {
		this.lease = lease;
		this.template = template;
		this.updating = new LocalLock<>(time, lease::requireValid);
	}

	<T> Optional<T> update(Key key, Class<T> type, Function<Optional<T>, Optional<T>> change) {
		this.updating.lock();
		try {
			while (true) {
				AtomicReference<@Nullable Bytes> encoded = new AtomicReference<>();
				Optional<Entry<T>> read = operations(encoded).get(key, type);
				Optional<T> updated = change.apply(read.map(Entry::value));
				if (tryStore(key, encoded.get(), read.map(Entry::version), updated)) {
					return updated;
				}
			}
		}
		finally {
			this.updating.unlock();
		}
	}

	/** Writes a value. Returns {@code false} if the stored value has changed. */
	private <T> boolean tryStore(Key key, @Nullable Bytes read, Optional<Version> version, Optional<T> updated) {
		if (updated.isEmpty()) {
			return read == null || operations(null).deleteIfEquals(key, read).outcome() != Outcome.DIFFERENT;
		}
		if (read == null) {
			return recordWrite(key, operations(null).set(key, updated.get(), SetSpec::ifAbsent));
		}
		boolean claimed = version.equals(Optional.ofNullable(this.written.get(key)))
				|| operations(null).set(key, read, SetSpec::ifAbsentOrEqual).applied();
		return claimed && recordWrite(key, operations(null).set(key, updated.get()));
	}

	/**
	 * Returns operations with the tenure's token and a timeout within the remaining
	 * lease.
	 * @param encoded receives the encoded value that a read returns
	 */
	private StateStoreOperations operations(@Nullable AtomicReference<@Nullable Bytes> encoded) {
		this.lease.requireValid();
		Duration remaining = LockTerms.atLeastOneMilli(this.lease.remaining());
		return this.template.withInvoker((invoker) -> (command, options) -> {
			CompletableFuture<CommandInvoker.Response> reply = invoker.invokeForWaiter(command, options);
			return (encoded != null) ? reply.thenApply((response) -> {
				encoded.set((response.reply() instanceof Reply.Value present) ? present.value() : null);
				return response;
			}) : reply;
		}).fencedBy(this.lease.token()).withTimeout(LockTerms.min(remaining, MAX_REPLY_TIME));
	}

	private boolean recordWrite(Key key, SetResult result) {
		if (result.applied()) {
			if (this.written.size() >= MAX_WRITTEN) {
				this.written.clear();
			}
			this.written.put(key, result.version());
		}
		return result.applied();
	}

}
