package io.statestore.client.lock;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import io.statestore.client.Key;
import io.statestore.client.lock.LockLostEvent.Reason;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lifecycle of the locks of a registry. Tracks the acquisitions and leases that have not
 * ended, and ends them when the registry stops. Safe for use by several threads.
 */
final class LockLifecycle {

	private enum State {

		RUNNING,

		/** Acquisitions are refused; held locks are still renewed. */
		STOPPING,

		/** No lock is renewed. */
		STOPPED

	}

	private static final Logger logger = LoggerFactory.getLogger(LockLifecycle.class);

	/** Longest wait for the store to confirm releases and deletions during a stop. */
	private static final Duration CONFIRM_TIMEOUT = Duration.ofSeconds(5);

	private final Set<Acquisition> acquisitions = ConcurrentHashMap.newKeySet();

	private final Set<HeldLock> tenures = ConcurrentHashMap.newKeySet();

	private final Function<Lease, HeldLock> factory;

	private final Duration stopTimeout;

	private final BooleanSupplier connected;

	private volatile State state = State.RUNNING;

	/**
	 * Creates a running lifecycle.
	 * @param factory creates the tenure of a lease
	 * @param stopTimeout time for holders to release their locks during a stop
	 * @param connected returns whether there is a connection to the store
	 */
	LockLifecycle(Function<Lease, HeldLock> factory, Duration stopTimeout, BooleanSupplier connected) {
		this.factory = factory;
		this.stopTimeout = stopTimeout;
		this.connected = connected;
	}

	/**
	 * Tracks an acquisition and its tenure until they end. Aborts the acquisition if the
	 * registry is stopped.
	 * @return the tenure, {@code null} if the lock is not acquired
	 */
	CompletableFuture<@Nullable HeldLock> add(Acquisition acquisition) {
		this.acquisitions.add(acquisition);
		CompletableFuture<@Nullable HeldLock> held = acquisition.result()
			.thenApply((lease) -> (lease != null) ? add(lease) : null);
		acquisition.ended().thenRun(() -> this.acquisitions.remove(acquisition));
		if (!isRunning()) {
			acquisition.abort(stopped(acquisition.key()));
		}
		return held;
	}

	private HeldLock add(Lease lease) {
		HeldLock held = this.factory.apply(lease);
		this.tenures.add(held);
		lease.ended().thenRun(() -> this.tenures.remove(held));
		if (this.state == State.STOPPED) {
			lease.lose(Reason.STOPPED);
		}
		return held;
	}

	/** Returns the locks that are held at this moment. */
	List<HeldLock> held() {
		return this.tenures.stream().filter(HeldLock::isValid).toList();
	}

	void start() {
		this.state = State.RUNNING;
	}

	boolean isRunning() {
		return this.state == State.RUNNING;
	}

	boolean isStopped() {
		return this.state == State.STOPPED;
	}

	/**
	 * Requires that locks can be acquired.
	 * @throws IllegalStateException if the registry is stopped
	 */
	void requireRunning(Key key) {
		if (!isRunning()) {
			throw stopped(key);
		}
	}

	private static IllegalStateException stopped(Key key) {
		return new IllegalStateException("Lock '" + key
				+ "' cannot be acquired: its StateStoreLockRegistry is stopped. Start it before locks are acquired");
	}

	/** Returns whether there is no connection to the store, so that waiting is futile. */
	boolean isDisconnected() {
		return !this.connected.getAsBoolean();
	}

	/**
	 * Releases a lease.
	 * @return whether the lock was held up to its release. Completes at once if the
	 * registry stops without a connection
	 */
	CompletableFuture<Boolean> release(Lease lease) {
		CompletableFuture<Boolean> released = lease.release();
		stopFutileWaits();
		return released;
	}

	private void stopFutileWaits() {
		if (!isRunning() && isDisconnected()) {
			this.tenures.forEach((held) -> held.lease().stopWaiting());
		}
	}

	/**
	 * Refuses acquisitions and ends all waits.
	 * @param endLocalWaits ends the waits of threads for locks held by other threads of
	 * this process
	 */
	void endWaits(Runnable endLocalWaits) {
		this.state = State.STOPPING;
		this.acquisitions.forEach((acquisition) -> acquisition.abort(stopped(acquisition.key())));
		endLocalWaits.run();
		stopFutileWaits();
	}

	/**
	 * Ends all waits and waits for held locks to be released. Locks that are still held
	 * after the timeout are lost, and their leases are no longer renewed. Without a
	 * connection, does not wait for the store to confirm releases.
	 * @param endLocalWaits as for {@link #endWaits}
	 */
	void stop(Runnable endLocalWaits) {
		endWaits(endLocalWaits);
		try {
			// An acquisition may end with a lease at this moment.
			if (!await(this.stopTimeout, Acquisition::result, Lease::over)) {
				logger.warn(
						"Locks {} are still held after {}. They are lost, and the store keeps them until their "
								+ "holders unlock them or their leases end",
						held().stream().map(HeldLock::key).toList(), this.stopTimeout);
			}
			loseAll();
			Duration timeout = isDisconnected() ? Duration.ZERO : CONFIRM_TIMEOUT;
			if (!await(timeout, Acquisition::ended, Lease::ended) && !this.tenures.isEmpty()) {
				logger.warn("The store has not confirmed that all locks are released. They end with their leases");
			}
		}
		catch (InterruptedException ex) {
			loseAll();
			Thread.currentThread().interrupt();
		}
	}

	private void loseAll() {
		this.state = State.STOPPED;
		this.tenures.forEach((held) -> held.lease().lose(Reason.STOPPED));
	}

	/** Waits for all acquisitions, then for all leases. Returns false on a timeout. */
	private boolean await(Duration timeout, Function<Acquisition, CompletableFuture<?>> acquisitions,
			Function<Lease, CompletableFuture<?>> leases) throws InterruptedException {
		try {
			all(this.acquisitions, acquisitions).handle((nothing, failure) -> null)
				.thenCompose((nothing) -> all(this.tenures, (held) -> leases.apply(held.lease())))
				.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
			return true;
		}
		catch (TimeoutException | ExecutionException ex) {
			return false;
		}
	}

	private static <T> CompletableFuture<Void> all(Collection<T> things, Function<T, CompletableFuture<?>> ended) {
		return CompletableFuture.allOf(things.stream().map(ended).toArray(CompletableFuture<?>[]::new));
	}

}
