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
 * A lock from one acquisition to its release or loss, which is called a <em>tenure</em>.
 * It keeps its fencing token (Kleppmann 2016, "How to do distributed locking"). Once
 * ended, it never becomes valid again, even if this process acquires the lock again.
 * Threads that work for the holder should therefore receive the held lock, not the
 * {@link FencedLock}. Safe for use by several threads.
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
	 * @param template of the store
	 * @param currentLocks knows the tenures of each thread
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
	 * Returns the key of the lock in the store.
	 * @return the key
	 */
	public Key key() {
		return this.lease.lock().key();
	}

	/**
	 * Returns the value of the key, which is unique for each acquisition.
	 * @return the name of the holder, and an id of the acquisition
	 */
	public String holder() {
		return describe(this.lease.lock().holder());
	}

	/** Returns a printable text, because another client may have stored any bytes. */
	static String describe(Bytes holder) {
		return holder.isEmpty() ? "" : new Key(holder).toString();
	}

	/**
	 * Returns the fencing token: the version of the acquisition. Renewals do not change
	 * it.
	 * @return the fencing token
	 */
	public FencingToken token() {
		return this.lease.status().token();
	}

	/**
	 * Returns whether the lock is held: within its lease, not released, and without a
	 * detected loss. Does not ask the store.
	 * @return whether the lock is held
	 */
	public boolean isValid() {
		return this.lease.status().isValid();
	}

	/**
	 * Returns the time left of the lease without a further renewal.
	 * @return the time, zero if the tenure is not valid
	 */
	public Duration remaining() {
		return this.lease.status().remaining();
	}

	/**
	 * Returns the loss of this tenure.
	 * @return the loss, empty if the tenure was not lost
	 */
	public Optional<LockLostEvent> loss() {
		return Optional.ofNullable(this.lease.status().loss());
	}

	/**
	 * Adds a listener for the loss of this tenure. It is called once, and immediately if
	 * the lock is lost already. It may block: its thread does not delay renewals. A
	 * release is not a loss.
	 * <p>
	 * All listeners of a registry share 32 threads. While they block, waiting listeners
	 * get 32 more threads every second, up to 512.
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
			logger.error("A listener for the loss of lock {} failed", loss.key(), ex);
		}
	}

	/**
	 * Starts to watch the key of the lock, so that a deletion is detected at once.
	 * Without this call the first renewal starts the watch, which spares short tenures
	 * its cost.
	 */
	public void watch() {
		this.lease.watch();
	}

	/**
	 * Returns operations on the store whose writes are fenced by the token of this tenure
	 * (protocol section 5). Reads are not fenced.
	 * <p>
	 * A write after the end of the tenure throws {@link LockLostException} and is not
	 * sent. A write to a key of the lock itself throws {@link IllegalArgumentException}.
	 * <p>
	 * A write that the store refuses because of a newer token throws
	 * {@link io.statestore.client.StaleFencingTokenException}. The lock is then lost,
	 * unless a check of its key shows that it is still held. In that case another lock
	 * has written the same data, and only the write fails.
	 * @return fenced operations
	 */
	public StateStoreOperations operations() {
		return this.operations;
	}

	/**
	 * Reads a value, computes a new one, and stores it, fenced by this tenure. If the key
	 * is only written under this lock, no other write comes in between, and no confirmed
	 * write is lost. Each request times out at the end of the lease, or after 10 s.
	 * <p>
	 * A value that this tenure has not written is <em>claimed</em> first: it is stored
	 * again under the token of this tenure. Watchers are notified of the claim, and it
	 * removes an expiry of the key. If the value has changed since it was read, the
	 * update starts again. An absent key is only set if it is still absent. If the
	 * function throws, the key keeps its value, its expiry, and its token.
	 * <p>
	 * Threads that share this tenure run their updates one after the other. The function
	 * may update further keys, but must not wait for an update by another thread.
	 * <p>
	 * The token of a key is removed with the key. Until the key is set again, an earlier
	 * holder can still write it. The next update reads such a write.
	 * <p>
	 * A write with unknown outcome may still take effect during this tenure. To determine
	 * its outcome, release the lock, and read the value in an update of the next tenure.
	 * @param <T> type of the value
	 * @param key to update
	 * @param type of the value
	 * @param change computes the new value from the stored one, empty for an absent key.
	 * An empty result deletes the key. May be called more than once
	 * @return the stored value, empty if the key was deleted
	 * @throws LockLostException if the tenure has ended; the new value was not written
	 * @throws IllegalArgumentException if the key belongs to the lock itself
	 * @throws io.statestore.client.StaleFencingTokenException if the store knows a newer
	 * token; nothing was written
	 * @throws io.statestore.client.StateStoreOutcomeUnknownException if it is unknown
	 * whether the value was written
	 */
	public <T> Optional<T> update(Key key, Class<T> type, Function<Optional<T>, Optional<T>> change) {
		return this.updates.update(key, type, change);
	}

	/**
	 * Updates a key like {@link #update(Key, Class, Function)}.
	 * @param <T> type of the value
	 * @param key to update
	 * @param type of the value
	 * @param change computes the new value from the stored one, empty for an absent key.
	 * An empty result deletes the key. May be called more than once
	 * @return the stored value, empty if the key was deleted
	 * @throws LockLostException if the tenure has ended; the new value was not written
	 */
	public <T> Optional<T> update(String key, Class<T> type, Function<Optional<T>, Optional<T>> change) {
		return update(Key.of(key), type, change);
	}

	/**
	 * Runs a section of this tenure on the calling thread. Within it,
	 * {@link StateStoreLockRegistry#currentLock()} returns this tenure, and the registry
	 * checks {@linkplain LockOptions#unfencedWrites() unfenced writes}, as on the thread
	 * that acquired the lock. Neither acquires nor releases the lock.
	 * @param <T> type of the result
	 * @param <E> type of exception that the section throws
	 * @param section the section
	 * @return the result of the section
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
	 * Invoker of a tenure. Sends no write after the end of the tenure, and none to the
	 * keys of the lock itself. If the store refuses a write as stale, the key of the lock
	 * is checked. The tenure ends unless the key is unchanged. In that case another lock
	 * with a newer token has written the data.
	 *
	 * @param invoker sends the commands
	 * @param lease of the tenure
	 * @param reserved keys of the lock, which only its lease may write
	 * @param callbacks completes refused writes, which runs code of callers
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
		 * @return the reply. If it is a refusal, it completes after the check of the key
		 * @throws IllegalArgumentException for a write to a key of the lock itself
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
