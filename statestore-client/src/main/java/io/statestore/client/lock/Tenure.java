package io.statestore.client.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;

import io.statestore.client.Entry;
import io.statestore.client.FencingToken;
import io.statestore.client.Key;
import io.statestore.client.SetSpec;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreTemplate;

/**
 * The time between one acquisition of a lock and its release or loss. It keeps its token
 * and, once it is lost, stays lost, whoever acquires the lock next: pass it to the
 * threads that work under the lock. Safe for use by several threads.
 */
public final class Tenure {

	private static final Duration MAX_REPLY_TIME = Duration.ofSeconds(10);

	private final Key key;

	private final Lease lease;

	private final StateStoreOperations operations;

	/** As above, and what is read can no longer be changed by an earlier holder. */
	private final StateStoreOperations claiming;

	private final Executor callbacks;

	Tenure(Key key, Lease lease, StateStoreTemplate template, Executor callbacks) {
		this.key = key;
		this.lease = lease;
		StateStoreTemplate guarded = template.withInvoker((invoker) -> new TenureInvoker(invoker, this));
		this.operations = guarded.fencedBy(lease.token());
		this.claiming = guarded.withInvoker(ClaimingInvoker::new).fencedBy(lease.token());
		this.callbacks = callbacks;
	}

	/** The key of the lock in the store. */
	public Key key() {
		return this.key;
	}

	/** The version of the acquisition. It stays the same through all renewals. */
	public FencingToken token() {
		return this.lease.token();
	}

	/**
	 * Whether the lock is held, as far as that can be known without asking: neither
	 * released nor lost, and the lease not over. Sends nothing.
	 */
	public boolean isValid() {
		return this.lease.isValid();
	}

	/** What is left of the lease if nothing renews it; zero if it is not valid. */
	public Duration remaining() {
		return this.lease.remaining();
	}

	/** How it was lost, empty if it was not. */
	public Optional<LockLoss> loss() {
		return Optional.ofNullable(this.lease.loss());
	}

	/**
	 * Be told of the loss of this tenure, once, on a thread that may be blocked and holds
	 * up no renewals; at once if it is lost already. A release is no loss.
	 */
	public void onLost(Consumer<LockLoss> listener) {
		this.lease.onLost((loss) -> this.callbacks.execute(() -> StateStoreLock.tell(listener, loss)));
	}

	/**
	 * Learn at once if somebody deletes or takes the lock in the store, at the cost of an
	 * observation of its key. Without this the key is observed after the first renewal,
	 * so that a short tenure costs nothing.
	 */
	public void watch() {
		this.lease.watchNow();
	}

	/**
	 * The store, with every write fenced by the token of this tenure (protocol section
	 * 5). A write after the end of the tenure throws {@link LockLostException} and is not
	 * sent. A write that the store refuses because a newer token has written the key
	 * throws {@link io.statestore.client.StaleFencingTokenException}, and the lock is
	 * lost. Reads are not checked.
	 */
	public StateStoreOperations operations() {
		return this.operations;
	}

	/**
	 * Read a value, compute another, and store it, fenced by this tenure. Provided that
	 * the key is only written under this lock, no write comes between, and none that the
	 * store has confirmed is lost: before the change is computed, a value that this
	 * tenure has not written is stored once more under its token (which observers see),
	 * and a key that is absent is only set if it still is. Takes no longer than what is
	 * left of the lease, and 10 s for each call.
	 * <p>
	 * The token of a key goes when the key is deleted: until it is set again, an earlier
	 * holder can still write it, which the next update sees.
	 * <p>
	 * If the outcome of a write is unknown, it may still come through during this tenure.
	 * To find out, release the lock and read the value in an update of the next tenure.
	 * @param change makes of the stored value, empty if there is none, the new one; empty
	 * to delete the key, which may be absent already. Called again if an absent key was
	 * set meanwhile
	 * @return what is stored now
	 * @throws LockLostException if the tenure has ended; nothing was written
	 * @throws io.statestore.client.StaleFencingTokenException if the store knows a newer
	 * token; nothing was written, and the lock is lost
	 * @throws io.statestore.client.StateStoreOutcomeUnknownException if it may or may not
	 * have been written
	 */
	public <T> Optional<T> update(Key key, Class<T> type, Function<Optional<T>, Optional<T>> change) {
		Optional<T> updated;
		boolean stored;
		do {
			Optional<T> value = withinLease().get(key, type).map(Entry::value);
			updated = change.apply(value);
			stored = store(key, value.isPresent(), updated);
		}
		while (!stored);
		return updated;
	}

	private <T> boolean store(Key key, boolean present, Optional<T> updated) {
		StateStoreOperations operations = withinLease();
		if (updated.isEmpty()) {
			if (present) {
				operations.delete(key);
			}
			return true;
		}
		if (present) {
			return operations.set(key, updated.get()).applied();
		}
		return operations.set(key, updated.get(), SetSpec::ifAbsent).applied();
	}

	/** Like {@link #update(Key, Class, Function)}. */
	public <T> Optional<T> update(String key, Class<T> type, Function<Optional<T>, Optional<T>> change) {
		return update(Key.of(key), type, change);
	}

	private StateStoreOperations withinLease() {
		requireValid();
		Duration remaining = LockTerms.atLeastOneMilli(remaining());
		return this.claiming.withTimeout(LockTerms.min(remaining, MAX_REPLY_TIME));
	}

	void requireValid() {
		if (!isValid()) {
			throw new LockLostException(this.lease.lossOrEnd());
		}
	}

	Lease lease() {
		return this.lease;
	}

	@Override
	public String toString() {
		return "Tenure[" + this.key + ", token=" + token() + (isValid() ? "]" : ", ended]");
	}

}
