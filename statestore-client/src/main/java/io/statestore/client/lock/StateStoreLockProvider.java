package io.statestore.client.lock;

import java.time.Duration;
import java.util.Optional;

import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import io.statestore.client.lock.LockLoss.Reason;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets ShedLock run scheduled tasks under locks in a state store. Needs
 * {@code net.javacrumbs.shedlock:shedlock-core}. Safe for use by several threads.
 * <p>
 * <b>Names.</b> The lock of a task is the lock that {@link StateStoreLockRegistry#obtain
 * obtain} of the registry returns for the same name: they exclude each other.
 * <p>
 * <b>Threads.</b> A lock belongs to the {@link SimpleLock}, not to a thread. It cannot be
 * acquired a second time, not even by the same thread, and any thread may unlock it.
 * <p>
 * <b>Lease.</b> {@code lockAtMostFor} is the lease, 10 ms to 365 days in whole
 * milliseconds, and is not renewed: a task that takes longer runs on without the lock,
 * which is logged. A hundredth of it is a reserve for clocks that run differently: the
 * holder considers the lock lost that much earlier, and the store removes it at the end
 * of {@code lockAtMostFor}. {@link SimpleLock#extend} changes the lease, and returns
 * empty once the lock is lost; so
 * {@link net.javacrumbs.shedlock.support.KeepAliveLockProvider} may be put around this.
 * An {@code unlock} before {@code lockAtLeastFor} leaves the lock in the store for the
 * rest of that time, counted from the acquisition or the extension.
 * <p>
 * <b>Failures.</b> {@code lock} throws a {@link StateStoreException} if the store
 * refused, or did not answer within the lease and 10 s. A lock that {@code lock} may have
 * been granted is released. {@code extend} throws a {@code StateStoreException} if the
 * store did not answer within a sixth of the lease and 10 s, or refused because its quota
 * is exceeded. The lock then stays held for the shorter of the two leases. If the store
 * refuses an extension for another reason, the lock is lost and {@code extend} returns
 * empty. A lock that is lost before {@code lockAtLeastFor} stays in the store up to the
 * end of its lease, unless it was deleted there. {@code unlock} never throws because of
 * the store: a lost lock is left to its next holder, and a lock whose release does not
 * reach the store ends with its lease.
 * <p>
 * <b>Stop.</b> A registry that stops gives running tasks
 * {@link LockOptions#stopTimeout()} to end. The locks of tasks that still run stay in the
 * store until these tasks end, for {@code lockAtMostFor} at most. {@code lock} throws
 * {@link IllegalStateException} until the registry is started.
 * <p>
 * <b>Fencing.</b> ShedLock has no place for the token. Use a {@link FencedLock} instead
 * if the store must refuse the writes of a task that has lost its lock.
 */
public final class StateStoreLockProvider implements ExtensibleLockProvider {

	private static final Logger logger = LoggerFactory.getLogger(StateStoreLockProvider.class);

	private final StateStoreLockRegistry registry;

	/**
	 * Creates a provider of the locks of a registry.
	 * @param registry supplies the key prefix and the holder name; its lease is not used
	 */
	public StateStoreLockProvider(StateStoreLockRegistry registry) {
		this.registry = registry;
	}

	@Override
	public Optional<SimpleLock> lock(LockConfiguration configuration) {
		Key key = this.registry.key(configuration.getName());
		LockTerms terms = new LockTerms(LeasedLock.requireAtMostFor(configuration.getLockAtMostFor()), false);
		LockHome home = this.registry.home();
		long lockedAt = home.time().nanoTime();
		Lease lease = Waiting.uninterruptibly(
				home.acquisition(key, terms, WaitLimit.ofOneRequest(home.time(), terms.replyTimeout())).start());
		if (lease == null) {
			return Optional.empty();
		}
		lease.onLost(StateStoreLockProvider::lost);
		return Optional.of(new LeasedLock(configuration, lease, home.time(), lockedAt));
	}

	private static void lost(LockLoss loss) {
		if (loss.reason() == Reason.EXPIRED) {
			logger.warn("Lock {} ended at its lockAtMostFor. Its task may run elsewhere before it is done here. "
					+ "Let lockAtMostFor be longer than the task takes", loss.key());
		}
		else {
			logger.warn("Lock {} was lost before it was unlocked: {}", loss.key(), loss.description());
		}
	}

}
