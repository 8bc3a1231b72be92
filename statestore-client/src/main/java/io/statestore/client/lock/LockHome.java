package io.statestore.client.lock;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import io.statestore.client.Key;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.LockLoss.Reason;
import io.statestore.protocol.Bytes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shared state of the locks of a registry: their options, their acquisitions and leases
 * that have not ended, and the order in which these end when the registry stops.
 */
final class LockHome {

	/** Lifecycle of a registry. */
	private enum State {

		RUNNING,

		/** Acquisitions are refused; held locks are still renewed. */
		STOPPING,

		/** No lock is renewed. */
		STOPPED

	}

	private static final Logger logger = LoggerFactory.getLogger(LockHome.class);

	/** Longest wait for the store to confirm releases and deletions of a stop. */
	private static final Duration CONFIRM_TIMEOUT = Duration.ofSeconds(5);

	private final Set<Acquisition> acquisitions = ConcurrentHashMap.newKeySet();

	private final Set<Lease> leases = ConcurrentHashMap.newKeySet();

	/**
	 * Locks that must not be collected, by what keeps them in use. These reasons do not
	 * override {@link Object#equals}.
	 */
	private final Map<Object, KeyLock> pinned = new ConcurrentHashMap<>();

	/** Differs after a restart with the same process id. */
	private final String process = UUID.randomUUID().toString();

	private final AtomicLong tenures = new AtomicLong();

	private final StateStoreTemplate template;

	private final LockOptions options;

	private final LockTime time;

	private final Executor callbacks;

	private volatile State state = State.RUNNING;

	LockHome(StateStoreTemplate template, LockOptions options, LockTime time, Executor callbacks) {
		this.template = template;
		this.options = options;
		this.time = time;
		this.callbacks = callbacks;
	}

	LockOptions options() {
		return this.options;
	}

	LockTime time() {
		return this.time;
	}

	/** Creates an attempt with a unique holder. */
	Acquisition acquisition(Key key, LockTerms terms, WaitLimit limit) {
		Bytes holder = Bytes.of(this.options.holderName() + '/' + this.process + '/' + this.tenures.incrementAndGet());
		Acquisition acquisition = new Acquisition(claim(key, terms, holder),
				() -> claim(SuccessorLock.keyOf(key), SuccessorLock.terms(terms), holder), limit);
		this.acquisitions.add(acquisition);
		acquisition.result().whenComplete((lease, failure) -> {
			if (lease != null) {
				this.leases.add(lease);
				lease.ended().thenRun(() -> this.leases.remove(lease));
				if (this.state == State.STOPPED) {
					lease.lose(Reason.STOPPED);
				}
			}
		});
		acquisition.ended().thenRun(() -> this.acquisitions.remove(acquisition));
		if (!isRunning()) {
			acquisition.abort(stopped(key));
		}
		return acquisition;
	}

	private Claim claim(Key key, LockTerms terms, Bytes holder) {
		return new Claim(key, new ObservedLockStore(key, this.template), this.time, terms, holder);
	}

	Tenure tenure(Key key, Lease lease) {
		return new Tenure(key, SuccessorLock.keyOf(key), lease, this.template, this.callbacks);
	}

	/**
	 * Keeps a lock from being collected.
	 * @param reason compared by identity
	 */
	void pin(Object reason, KeyLock lock) {
		this.pinned.put(reason, lock);
	}

	void unpin(Object reason) {
		this.pinned.remove(reason);
	}

	/** Logs a loss, whether or not there are listeners. */
	void lost(LockLoss loss) {
		logger.warn("Lock {} was lost: {}", loss.key(), loss.description());
	}

	Optional<String> holder(Key key) {
		return this.template.get(key, Bytes.class)
			// Readable in the same way as a key, even if another client stored bytes.
			.map((entry) -> entry.value().isEmpty() ? "" : new Key(entry.value()).toString());
	}

	void start() {
		this.state = State.RUNNING;
	}

	boolean isRunning() {
		return this.state == State.RUNNING;
	}

	/**
	 * Checks that locks can be acquired.
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

	/**
	 * Ends all waits and gives held locks time to be released. Leaves locks still held
	 * then to their leases.
	 * @param endLocalWaits ends the waits of threads for each other
	 */
	void stop(Runnable endLocalWaits) {
		this.state = State.STOPPING;
		this.acquisitions.forEach((acquisition) -> acquisition.abort(stopped(acquisition.key())));
		endLocalWaits.run();
		boolean interrupted = false;
		try {
			if (!awaitEnd(this.options.stopTimeout())) {
				logger.warn(
						"{} locks are still held after {}. They are lost, and the store keeps them until their "
								+ "sections unlock them or their leases end",
						this.leases.size(), this.options.stopTimeout());
			}
		}
		catch (InterruptedException ex) {
			interrupted = true;
		}
		this.state = State.STOPPED;
		this.leases.forEach((lease) -> lease.lose(Reason.STOPPED));
		try {
			if (!interrupted && !awaitEnd(CONFIRM_TIMEOUT)) {
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

	/** Waits until no acquisition and no lease is left. */
	private boolean awaitEnd(Duration timeout) throws InterruptedException {
		try {
			// An acquisition may end with a lease at this moment.
			all(this.acquisitions, Acquisition::ended).thenCompose((nothing) -> all(this.leases, Lease::ended))
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
