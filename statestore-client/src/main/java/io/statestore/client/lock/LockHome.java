package io.statestore.client.lock;

import java.time.Duration;
import java.util.Arrays;
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

import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.LockLoss.Reason;
import io.statestore.protocol.Bytes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What all locks of a registry have in common. Knows every acquisition and lease that has
 * not ended, so that they end with the registry.
 */
final class LockHome {

	private static final Logger logger = LoggerFactory.getLogger(LockHome.class);

	/** How long a stop waits until the store has heard of the locks it frees. */
	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

	/** What the key of the place of who is next has more than that of the lock. */
	private static final Bytes NEXT = Bytes.of("/next");

	private final Set<Acquisition> acquisitions = ConcurrentHashMap.newKeySet();

	private final Set<Lease> leases = ConcurrentHashMap.newKeySet();

	/** Nobody else has it, also not after a restart with the same process id. */
	private final String process = UUID.randomUUID().toString();

	private final AtomicLong tenures = new AtomicLong();

	private final StateStoreTemplate template;

	private final LockOptions options;

	private final LockTime time;

	private final Executor callbacks;

	private volatile boolean running = true;

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

	/** A new attempt, with a holder that nobody else has. */
	Acquisition acquisition(Key key, LockTerms terms, long waitNanos) {
		Bytes holder = Bytes.of(this.options.holderName() + '/' + this.process + '/' + this.tenures.incrementAndGet());
		Acquisition acquisition = new Acquisition(key, store(key), this.time, terms, holder, (wait) -> {
			Key place = placeOf(key);
			return new Acquisition(place, store(place), this.time, terms.ofPlace(), holder, null, wait);
		}, waitNanos);
		this.acquisitions.add(acquisition);
		acquisition.result().whenComplete((lease, failure) -> {
			if (lease != null) {
				this.leases.add(lease);
				lease.ended().thenRun(() -> this.leases.remove(lease));
			}
			endAllUnlessRunning();
		});
		acquisition.ended().thenRun(() -> this.acquisitions.remove(acquisition));
		endAllUnlessRunning();
		return acquisition;
	}

	/** The key of the place of who is next. */
	private static Key placeOf(Key key) {
		byte[] place = Arrays.copyOf(key.bytes().toArray(), key.bytes().length() + NEXT.length());
		NEXT.copyTo(place, key.bytes().length());
		return new Key(Bytes.wrap(place));
	}

	private LockStore store(Key key) {
		return new ObservedLockStore(key, this.template);
	}

	Tenure tenure(Key key, Lease lease) {
		return new Tenure(key, placeOf(key), lease, this.template, this.callbacks);
	}

	/** The log is told of a loss whoever else is. */
	void lost(LockLoss loss) {
		logger.warn("Lock {} was lost: {}", loss.key(), loss.description());
	}

	Optional<String> holder(Key key) {
		return this.template.get(key, String.class).map(Entry::value);
	}

	void start() {
		this.running = true;
	}

	boolean isRunning() {
		return this.running;
	}

	/** End every acquisition and lease, and wait until the store knows, within limits. */
	void stop() {
		this.running = false;
		endAllUnlessRunning();
		try {
			// An acquisition may end with a lease at this moment.
			all(this.acquisitions, Acquisition::ended).thenCompose((nothing) -> all(this.leases, Lease::ended))
				.get(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException | ExecutionException ex) {
			logger
				.warn("The store has not confirmed that all locks are free. It frees them at the end of their leases");
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static <T> CompletableFuture<Void> all(Set<T> things, Function<T, CompletableFuture<Void>> ended) {
		return CompletableFuture.allOf(things.stream().map(ended).toArray(CompletableFuture<?>[]::new));
	}

	private void endAllUnlessRunning() {
		if (!this.running) {
			this.acquisitions.forEach((acquisition) -> acquisition.abort(new IllegalStateException(
					"The StateStoreLockRegistry is stopped. Start it before locks are acquired")));
			this.leases.forEach((lease) -> lease.lose(Reason.STOPPED));
		}
	}

}
