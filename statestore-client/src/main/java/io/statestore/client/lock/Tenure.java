package io.statestore.client.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;

import io.statestore.client.FencingToken;
import io.statestore.client.Key;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.Bytes;

/**
 * The time between one acquisition of a lock and its release or loss. It keeps its token.
 * Once lost, it stays lost, even if this process acquires the lock again, so pass it to
 * the threads that work under the lock. Safe for use by several threads.
 */
public final class Tenure {

	private static final Duration MAX_REPLY_TIME = Duration.ofSeconds(10);

	private final Key key;

	private final Lease lease;

	private final StateStoreTemplate guarded;

	private final StateStoreOperations operations;

	private final WrittenVersions written = new WrittenVersions();

	private final UpdateTurns updates = new UpdateTurns();

	private final Executor callbacks;

	/**
	 * @param successor key of the successor lock
	 * @param callbacks runs loss listeners
	 */
	Tenure(Key key, Key successor, Lease lease, StateStoreTemplate template, Executor callbacks) {
		this.key = key;
		this.lease = lease;
		Set<Bytes> reserved = Set.of(key.bytes(), successor.bytes());
		this.guarded = template.withInvoker((invoker) -> new TenureInvoker(invoker, this, reserved));
		this.operations = this.guarded.fencedBy(lease.token());
		this.callbacks = callbacks;
	}

	/**
	 * Returns the key of the lock in the store.
	 * @return the key
	 */
	public Key key() {
		return this.key;
	}

	/**
	 * Returns the version of the acquisition. It stays the same through all renewals.
	 * @return the fencing token
	 */
	public FencingToken token() {
		return this.lease.token();
	}

	/**
	 * Returns whether the lock is held, as far as this process knows: neither released
	 * nor lost, and within its lease. Sends nothing.
	 * @return {@code true} if the lock is held
	 */
	public boolean isValid() {
		return this.lease.isValid();
	}

	/**
	 * Returns the time left of the lease without a further renewal.
	 * @return the time, zero if the tenure is not valid
	 */
	public Duration remaining() {
		return this.lease.remaining();
	}

	/**
	 * Returns the loss of this tenure.
	 * @return the loss, empty if the tenure was not lost
	 */
	public Optional<LockLoss> loss() {
		return Optional.ofNullable(this.lease.loss());
	}

	/**
	 * Adds a listener for the loss of this tenure. It is called once, or at once if the
	 * lock is lost already, on a thread that may block without delaying renewals. A
	 * release is not a loss.
	 * <p>
	 * All listeners of a registry share 32 threads. While they block, waiting listeners
	 * get 32 more threads every second, up to 512.
	 * @param listener receives the loss
	 */
	public void onLost(Consumer<LockLoss> listener) {
		this.lease.onLost((loss) -> this.callbacks.execute(() -> StateStoreLock.tell(listener, loss)));
	}

	/**
	 * Observes the key of the lock from now on, so that a deletion is notified at once.
	 * Without this call the key is observed from the first renewal on, so that a short
	 * tenure costs no observation.
	 */
	public void watch() {
		this.lease.watchNow();
	}

	/**
	 * Returns operations on the store whose writes are fenced by the token of this tenure
	 * (protocol section 5). Reads are not checked.
	 * <p>
	 * A write after the end of the tenure throws {@link LockLostException} and is not
	 * sent. A write that the store refuses because of a newer token throws
	 * {@link io.statestore.client.StaleFencingTokenException}. The lock is then lost,
	 * unless a check of its key shows that it is still held: in that case another lock
	 * has written the same data, and only the write fails. A write to the key of the lock
	 * itself throws {@link IllegalArgumentException}.
	 * @return fenced operations
	 */
	public StateStoreOperations operations() {
		return this.operations;
	}

	/**
	 * Reads a value, computes another, and stores it, fenced by this tenure. Provided
	 * that the key is only written under this lock, no other write comes between, and no
	 * confirmed write is lost. It takes no longer than the rest of the lease, and 10 s
	 * for each call.
	 * <p>
	 * Before the new value is stored, a value that this tenure has not written is stored
	 * once more under its token, which observers see. This removes an expiry of the key.
	 * If the value has changed since it was read, it is read again and the function is
	 * called again. An absent key is only set if it is still absent. If the function
	 * throws, the key keeps its value, its expiry, and its token.
	 * <p>
	 * Threads that share this tenure update a key one after the other. The function may
	 * update further keys. Let all threads do so in the same order, because they wait for
	 * each other as long as the tenure lasts.
	 * <p>
	 * The token of a key is removed with the key: until it is set again, an earlier
	 * holder can still write it, which the next update sees.
	 * <p>
	 * If the outcome of a write is unknown, it may still take effect during this tenure.
	 * To find out, release the lock and read the value in an update of the next tenure.
	 * @param <T> type of the value
	 * @param key to update
	 * @param type of the value
	 * @param change computes the new value from the stored one, empty for an absent key.
	 * An empty result deletes the key. May be called more than once
	 * @return the stored value, empty if the key was deleted
	 * @throws LockLostException if the tenure has ended; nothing was written
	 * @throws IllegalArgumentException if the key belongs to the lock itself
	 * @throws io.statestore.client.StaleFencingTokenException if the store knows a newer
	 * token; nothing was written
	 * @throws io.statestore.client.StateStoreOutcomeUnknownException if it is unknown
	 * whether the value was written
	 */
	public <T> Optional<T> update(Key key, Class<T> type, Function<Optional<T>, Optional<T>> change) {
		return this.updates.run(key, this,
				() -> new KeyUpdate<>(key, type, change, this, this.guarded, this.written).run());
	}

	/**
	 * Updates a key like {@link #update(Key, Class, Function)}.
	 * @param <T> type of the value
	 * @param key to update
	 * @param type of the value
	 * @param change computes the new value from the stored one
	 * @return the stored value, empty if the key was deleted
	 */
	public <T> Optional<T> update(String key, Class<T> type, Function<Optional<T>, Optional<T>> change) {
		return update(Key.of(key), type, change);
	}

	/** Returns the same operations with a timeout within the rest of the lease. */
	StateStoreOperations withinLease(StateStoreOperations operations) {
		requireValid();
		Duration remaining = LockTerms.atLeastOneMilli(remaining());
		return operations.withTimeout(LockTerms.min(remaining, MAX_REPLY_TIME));
	}

	void requireValid() {
		if (!isValid()) {
			throw new LockLostException(this.lease.lossOrEnd());
		}
	}

	Executor callbacks() {
		return this.callbacks;
	}

	Lease lease() {
		return this.lease;
	}

	@Override
	public String toString() {
		return "Tenure[" + this.key + ", token=" + token() + (isValid() ? "]" : ", ended]");
	}

}
