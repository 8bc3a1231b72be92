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
import io.statestore.client.lock.LockLoss.Reason;
import io.statestore.protocol.Bytes;
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

	private final Set<Lease> leases = ConcurrentHashMap.newKeySet();

	/** Confirmations of releases that threads wait for. */
	private final Set<CompletableFuture<Boolean>> confirmations = ConcurrentHashMap.newKeySet();

	private final Duration stopTimeout;

	/** Returns whether there is a connection to the store. */
	private final BooleanSupplier connected;

	private volatile State state = State.RUNNING;

	/**
	 * Creates a running lifecycle.
	 * @param stopTimeout time for holders to release their locks during a stop
	 * @param connected returns whether there is a connection to the store
	 */
	LockLifecycle(Duration stopTimeout, BooleanSupplier connected) {
		this.stopTimeout = stopTimeout;
		this.connected = connected;
	}

	/**
	 * Tracks an acquisition and its lease until they end. Aborts the acquisition if the
	 * registry is stopped.
	 */
	void add(Acquisition acquisition) {
		this.acquisitions.add(acquisition);
		acquisition.result().whenComplete((lease, failure) -> {
			if (lease != null) {
				add(lease);
			}
		});
		acquisition.ended().thenRun(() -> this.acquisitions.remove(acquisition));
		if (!isRunning()) {
			acquisition.abort(stopped(acquisition.key()));
		}
	}

	private void add(Lease lease) {
		this.leases.add(lease);
		lease.ended().thenRun(() -> this.leases.remove(lease));
		if (this.state == State.STOPPED) {
			lease.lose(Reason.STOPPED);
		}
	}

	/** Returns the leases that are held at this moment. */
	List<Lease> held() {
		return this.leases.stream().filter(Lease::isValid).toList();
	}

	/**
	 * Ends the tenure of a holder because of a loss that was detected elsewhere.
	 * @return whether this registry held the lock up to now
	 */
	boolean lose(Key key, Bytes holder, Reason reason) {
		List<Lease> lost = held().stream()
			.filter((lease) -> lease.key().equals(key) && lease.holder().equals(holder))
			.toList();
		lost.forEach((lease) -> lease.lose(reason));
		return !lost.isEmpty();
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
	 * Returns a future for threads that wait until the store has confirmed a release. It
	 * completes at once if the registry stops without a connection.
	 * @param released completes with whether the lock was held up to its release
	 */
	CompletableFuture<Boolean> confirmation(CompletableFuture<Boolean> released) {
		CompletableFuture<Boolean> confirmation = released.copy();
		this.confirmations.add(confirmation);
		confirmation.whenComplete((held, failure) -> this.confirmations.remove(confirmation));
		endConfirmations();
		return confirmation;
	}

	private void endConfirmations() {
		if (!isRunning() && isDisconnected()) {
			this.confirmations.forEach((confirmation) -> confirmation.complete(true));
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
		endConfirmations();
	}

	/**
	 * Ends all waits and waits for held locks to be released. Locks that are still held
	 * after the timeout are lost, and their leases are no longer renewed. Without a
	 * connection, does not wait for the store to confirm releases.
	 * @param endLocalWaits as for {@link #endWaits}
	 */
	void stop(Runnable endLocalWaits) {
		endWaits(endLocalWaits);
		boolean interrupted = false;
		try {
			// An acquisition may end with a lease at this moment.
			if (!await(this.stopTimeout, Acquisition::decided, Lease::over)) {
				logger.warn(
						"Locks {} are still held after {}. They are lost, and the store keeps them until their "
								+ "holders unlock them or their leases end",
						held().stream().map(Lease::key).toList(), this.stopTimeout);
			}
		}
		catch (InterruptedException ex) {
			interrupted = true;
		}
		this.state = State.STOPPED;
		this.leases.forEach((lease) -> lease.lose(Reason.STOPPED));
		try {
			Duration timeout = isDisconnected() ? Duration.ZERO : CONFIRM_TIMEOUT;
			if (!interrupted && !await(timeout, Acquisition::ended, Lease::ended) && !this.leases.isEmpty()) {
				logger.warn("The store has not confirmed that all locks are released. They end with their leases");
			}
		}
		catch (InterruptedException ex) {
			interrupted = true;
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/** Waits for all acquisitions, then for all leases. Returns false on a timeout. */
	private boolean await(Duration timeout, Function<Acquisition, CompletableFuture<Void>> acquisitions,
			Function<Lease, CompletableFuture<Void>> leases) throws InterruptedException {
		try {
			all(this.acquisitions, acquisitions).thenCompose((nothing) -> all(this.leases, leases))
				.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
			return true;
		}
		catch (TimeoutException | ExecutionException ex) {
			return false;
		}
	}

	private static <T> CompletableFuture<Void> all(Collection<T> things, Function<T, CompletableFuture<Void>> ended) {
		return CompletableFuture.allOf(things.stream().map(ended).toArray(CompletableFuture<?>[]::new));
	}

}
