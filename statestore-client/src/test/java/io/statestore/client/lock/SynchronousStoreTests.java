package io.statestore.client.lock;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.statestore.client.InMemoryStateStore;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.watch.KeyWatches;
import io.statestore.client.watch.NotifyingStore;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Locks of a store that replies on the calling thread. */
@Timeout(60)
class SynchronousStoreTests {

	private static final Key KEY = Key.of("lock");

	private static final Duration LEASE = Duration.ofSeconds(2);

	private final Store store = new Store();

	private final KeyWatches watches = this.store.watches();

	private final StateStoreTemplate template = new StateStoreTemplate(this.store, null, this.watches);

	private final StateStoreLockRegistry registry = new StateStoreLockRegistry(this.template,
			LockFixture.OPTIONS.withLease(LEASE));

	private final FencedLock lock = this.registry.obtain("lock");

	@AfterEach
	void close() {
		this.registry.stop();
		this.watches.close();
	}

	@Test
	void keepsInterruptOfWaitingThread() {
		this.template.set(KEY, Bytes.of("holder"));
		CompletableFuture<Boolean> interrupted = LockFixture.async(() -> {
			Thread.currentThread().interrupt();
			this.lock.lock();
			boolean kept = Thread.currentThread().isInterrupted();
			this.lock.unlock();
			return kept;
		});
		await("the watch").until(() -> this.watches.isActive(KEY));
		this.template.delete(KEY);
		assertThat(interrupted).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(true);
	}

	@Tag("long")
	@Test
	void renewsLockWhenWatchIsRefused() {
		this.store.refusesWatches = true;
		this.lock.lock();
		long end = System.nanoTime() + LEASE.multipliedBy(3).toNanos();
		await("three leases").until(() -> System.nanoTime() - end > 0 || !this.lock.isValid());
		assertThat(this.lock.heldLock().loss()).isEmpty();
		this.lock.unlock();
	}

	/** Store that also notifies watchers of changes. */
	private static final class Store extends NotifyingStore {

		private final InMemoryStateStore entries = new InMemoryStateStore();

		private final Set<Bytes> watched = ConcurrentHashMap.newKeySet();

		private volatile boolean refusesWatches;

		@Override
		public synchronized CompletableFuture<Response> invoke(Command command, Options options) {
			if (command instanceof Command.KeyNotify notify) {
				if (this.refusesWatches) {
					return CompletableFuture
						.failedFuture(new StateStoreRefusedException(ErrorReason.NOT_AUTHORIZED, "not authorized"));
				}
				this.watched.add(notify.key());
				return CompletableFuture.completedFuture(new Response(new Reply.Ok(), null));
			}
			if (command instanceof Command.KeyNotifyStop stop) {
				this.watched.remove(stop.key());
				return CompletableFuture.completedFuture(new Response(new Reply.Ok(), null));
			}
			CompletableFuture<Response> reply = this.entries.invoke(command, options);
			reply.thenAccept((response) -> changed(command, response));
			return reply;
		}

		private void changed(Command command, Response response) {
			boolean deletion = !(command instanceof Command.Set);
			if (command instanceof Command.Write write && response.version() != null
					&& this.watched.contains(write.key())
					&& response.reply().equals(deletion ? new Reply.Count(1) : new Reply.Ok())) {
				notifyWatchers(new KeyChange<>(new Key(write.key()),
						deletion ? KeyChange.Operation.DELETE : KeyChange.Operation.SET,
						(command instanceof Command.Set set) ? set.value() : null, response.version(), false));
			}
		}

	}

}
