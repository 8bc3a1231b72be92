package io.statestore.client.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.statestore.client.CommandInvoker;
import io.statestore.client.FencingToken;
import io.statestore.client.Key;
import io.statestore.client.StaleFencingTokenException;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.integration.util.CheckedCallable;

/**
 * A lock from one acquisition to its release or loss, called a <em>tenure</em>. The
 * fencing token stays the same for the entire tenure (Kleppmann 2016, "How to do
 * distributed locking"). Once the tenure has ended, it never becomes valid again, even if
 * this process acquires the lock again. Threads that work for the holder should therefore
 * receive the held lock, not the {@link FencedLock}. Thread-safe.
 */
public final class HeldLock {

	private static final Logger logger = LoggerFactory.getLogger(HeldLock.class);

	private final Lease lease;

	private final StateStoreOperations operations;

	private final KeyUpdates updates;

	private final CurrentLocks currentLocks;

	private final Executor callbacks;

	/**
	 * Creates the tenure of a lease.
	 * @param template template whose operations the tenure fences
	 * @param currentLocks tracks each thread's tenures
	 * @param callbacks runs loss listeners, which may block
	 */
	HeldLock(Lease lease, StateStoreTemplate template, CurrentLocks currentLocks, Executor callbacks) {
		this.lease = lease;
		Set<Bytes> reserved = Set.of(key().bytes(), RequestedLock.successor(key()).bytes());
		StateStoreTemplate checked = template
			.withInvoker((invoker) -> new Invoker(invoker, lease, reserved, callbacks));
		this.operations = checked.fencedBy(token());
		this.updates = new KeyUpdates(lease.status(), lease.lock().time(), checked);
		this.currentLocks = currentLocks;
		this.callbacks = callbacks;
	}

	/**
	 * Returns the lock's key in the store.
	 * @return the key, including all prefixes
	 */
	public Key key() {
		return this.lease.lock().key();
	}

	/**
	 * Returns the key's value, which is unique for each acquisition.
	 * @return the holder name and an acquisition id
	 */
	public String holder() {
		return describe(this.lease.lock().holder());
	}

	/**
	 * Returns a printable description, because another client may have stored any bytes.
	 */
	static String describe(Bytes holder) {
		return holder.isEmpty() ? "" : new Key(holder).toString();
	}

	/**
	 * Returns the fencing token, which is the version of the acquisition. Renewals do not
	 * change it.
	 * @return the fencing token
	 */
	public FencingToken token() {
		return this.lease.status().token();
	}

	/**
	 * Returns whether the lock is held: its lease has not ended, it was not released, and
	 * no loss was detected. Does not access the store.
	 * @return whether the lock is held
	 */
	public boolean isValid() {
		return this.lease.status().isValid();
	}

	/**
	 * Returns how long the lease lasts unless it is renewed.
	 * @return the remaining time, zero if the tenure is not valid
	 */
	public Duration remaining() {
		return this.lease.status().remaining();
	}

	/**
	 * Returns how this tenure was lost.
	 * @return the loss, empty if the tenure was not lost
	 */
	public Optional<LockLostEvent> loss() {
		return Optional.ofNullable(this.lease.status().loss());
	}

	/**
	 * Adds a listener for the loss of this tenure. The listener is called once,
	 * immediately if the tenure is already lost. It may block without delaying renewals.
	 * A release is not a loss.
	 * <p>
	 * All of a registry's listeners share 32 threads. If all threads are blocked while
	 * listeners wait, the pool grows by 32 threads per second, up to 512.
	 * @param listener receives the loss
	 */
	public void onLost(Consumer<LockLostEvent> listener) {
		this.lease.onLost((loss) -> this.callbacks.execute(() -> notify(listener, loss)));
	}

	/** Notifies a listener on the calling thread, and logs its failure. */
	static void notify(Consumer<LockLostEvent> listener, LockLostEvent loss) {
		try {
			listener.accept(loss);
		}
		catch (RuntimeException | Error ex) {
			logger.error("A listener failed to handle the loss of lock {}", loss.key(), ex);
		}
	}

	/**
	 * Starts to watch the lock's key, so that a deletion is detected immediately. Without
	 * this call, the watch starts with the first renewal, which spares short tenures its
	 * cost.
	 */
	public void watch() {
		this.lease.watch();
	}

	/**
	 * Returns store operations whose writes are fenced by this tenure's token (protocol
	 * section 5). Reads are not fenced.
	 * <p>
	 * After the tenure has ended, writes throw {@link LockLostException} and are not
	 * sent. Writes to the lock's own keys throw {@link IllegalArgumentException}.
	 * <p>
	 * If the store refuses a write because of a newer token, the write throws
	 * {@link io.statestore.client.StaleFencingTokenException}. The lock is then lost,
	 * unless a check of its key shows that it is still held. In that case, a holder of
	 * another lock has written the same key, and only the write fails.
	 * @return fenced operations
	 */
	public StateStoreOperations operations() {
		return this.operations;
	}

	/**
	 * Reads a value, computes a new value, and stores it, fenced by this tenure. If the
	 * key is written only under this lock, no other write can happen in between, and no
	 * confirmed write is lost. Each request times out when the lease ends, or after 10 s.
	 * <p>
	 * A value that this tenure has not written is <em>claimed</em> first: it is stored
	 * again with this tenure's token. Watchers are notified of the claim, and the claim
	 * removes the key's expiry, if any. If the value has changed since it was read, the
	 * update starts again. An absent key is set only if it is still absent. If the
	 * function throws, the key keeps its value, expiry, and token.
	 * <p>
	 * Threads that share this tenure run their updates sequentially. The function may
	 * update other keys, but must not wait for another thread's update.
	 * <p>
	 * A key's token is removed with the key. Until the key is set again, an earlier
	 * holder can still write it. The next update then reads the earlier holder's value.
	 * <p>
	 * A write with an unknown outcome may still take effect during this tenure. To
	 * determine its outcome, release the lock and read the value in an update under the
	 * next tenure.
	 * @param <T> type of the value
	 * @param key key to update
	 * @param type type of the value
	 * @param change computes the new value from the stored value, empty if absent. An
	 * empty result deletes the key. May be called more than once
	 * @return the newly stored value, empty if the key is now absent
	 * @throws LockLostException if the tenure has ended; the new value was not written
	 * @throws IllegalArgumentException if the key is one of the lock's own keys
	 * @throws io.statestore.client.StaleFencingTokenException if the store has a newer
	 * token for the key; nothing was written
	 * @throws io.statestore.client.StateStoreOutcomeUnknownException if it is unknown
	 * whether the value was written
	 */
	public <T> Optional<T> update(Key key, Class<T> type, Function<Optional<T>, Optional<T>> change) {
		return this.updates.update(key, type, change);
	}

	/**
	 * Updates a key like {@link #update(Key, Class, Function)}.
	 * @param <T> type of the value
	 * @param key key to update
	 * @param type type of the value
	 * @param change computes the new value from the stored value, empty if absent. An
	 * empty result deletes the key. May be called more than once
	 * @return the newly stored value, empty if the key is now absent
	 * @throws LockLostException if the tenure has ended; the new value was not written
	 */
	public <T> Optional<T> update(String key, Class<T> type, Function<Optional<T>, Optional<T>> change) {
		return update(Key.of(key), type, change);
	}

	/**
	 * Runs a section of this tenure on the calling thread. Within it,
	 * {@link StateStoreLockRegistry#currentLock()} returns this tenure, and the registry
	 * checks {@linkplain LockOptions#unfencedWrites() unfenced writes}, as on the thread
	 * that acquired the lock. This method neither acquires nor releases the lock.
	 * @param <T> type of the result
	 * @param <E> type of exception that the section throws
	 * @param section code to run in the section
	 * @return the section's result
	 * @throws E if the section throws
	 */
	public <T, E extends Throwable> T call(CheckedCallable<T, E> section) throws E {
		return this.currentLocks.call(this, section);
	}

	Lease lease() {
		return this.lease;
	}

	@Override
	public String toString() {
		return "HeldLock[" + key() + ", token=" + token() + (isValid() ? "]" : ", ended]");
	}

	/**
	 * A tenure's invoker. Refuses writes after the tenure has ended, and writes to the
	 * lock's own keys. If the store refuses a write as stale, the invoker checks the
	 * lock's key. If the key has changed, the tenure ends. Otherwise, a holder of another
	 * lock has written the data with a newer token.
	 *
	 * @param invoker sends the commands
	 * @param lease the tenure's lease
	 * @param reserved the lock's own keys, which only its lease may write
	 * @param callbacks completes refused writes, which runs callers' code
	 */
	private record Invoker(CommandInvoker invoker, Lease lease, Set<Bytes> reserved,
			Executor callbacks) implements CommandInvoker {

		@Override
		public CompletableFuture<Response> invoke(Command command, Options options) {
			return send(command, () -> this.invoker.invoke(command, options));
		}

		@Override
		public CompletableFuture<Response> invokeForWaiter(Command command, Options options) {
			return send(command, () -> this.invoker.invokeForWaiter(command, options));
		}

		/**
		 * Sends a read, or a write within the tenure.
		 * @return a future of the reply. If the store refuses the write, the future
		 * completes after the key was checked
		 * @throws IllegalArgumentException for a write to one of the lock's own keys
		 */
		private CompletableFuture<Response> send(Command command, Supplier<CompletableFuture<Response>> request) {
			if (!(command instanceof Command.Write write)) {
				return request.get();
			}
			if (this.reserved.contains(write.key())) {
				throw new IllegalArgumentException("Key '" + Key.of(write.key()) + "' must not be written under lock '"
						+ this.lease.lock().key()
						+ "': it belongs to the lock itself. Store data under another key, or set "
						+ "'statestore.lock.key-prefix' (LockOptions.withKeyPrefix) so that locks have keys of their own");
			}
			if (!this.lease.status().isValid()) {
				return CompletableFuture.failedFuture(new LockLostException(this.lease.status().lossOrEnd()));
			}
			CompletableFuture<Response> reply = request.get();
			CompletableFuture<Response> verified = reply
				.handle((response, failure) -> (failure instanceof StaleFencingTokenException stale)
						? refused(write, stale) : reply)
				.thenCompose((outcome) -> outcome);
			verified.whenComplete((response, failure) -> {
				if (verified.isCancelled()) {
					reply.cancel(true);
				}
			});
			return verified;
		}

		private CompletableFuture<Response> refused(Command.Write write, StaleFencingTokenException stale) {
			return this.lease.verify().thenApplyAsync((held) -> {
				throw new CompletionException(held ? new StaleFencingTokenException("The store refused to write key '"
						+ Key.of(write.key()) + "' under lock '" + this.lease.lock().key()
						+ "', which is still held: a newer "
						+ "fencing token has written the key, so it is also written under another lock. Write each key "
						+ "under one lock only") : stale);
			}, this.callbacks);
		}

	}

}
