package io.statestore.client.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.statestore.client.CallObserver;
import io.statestore.client.DeleteResult;
import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.KeyWatch;
import io.statestore.client.SetResult;
import io.statestore.client.StateStoreAsyncOperations;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Key of a lock that is accessed and watched through a template. */
final class WatchedLockStore implements LockStore {

	private static final Logger logger = LoggerFactory.getLogger(WatchedLockStore.class);

	/** Watch of a key that cannot be watched. */
	private static final Watch NO_WATCH = new Watch() {

		@Override
		public boolean isActive() {
			return false;
		}

		@Override
		public void close() {
		}

	};

	private final Key key;

	private final StateStoreTemplate template;

	/** Template for requests of holders: renewals, their checks, and releases. */
	private final StateStoreTemplate holderTemplate;

	WatchedLockStore(Key key, StateStoreTemplate template) {
		this.key = key;
		// Renewals would otherwise be watched every few seconds.
		StateStoreTemplate unwatched = template.withObservability(CallObserver.NONE);
		// Callbacks never block, so they may run on the thread that receives the reply or
		// the change.
		this.template = unwatched.withInvoker((invoker) -> invoker::invokeForWaiter)
			.withWatcher((watcher) -> watcher.withSettings((settings) -> settings.asDirect().asUrgent()));
		this.holderTemplate = unwatched
			.withInvoker((invoker) -> (command, options) -> invoker.invokeForWaiter(command, options.asUrgent()));
	}

	@Override
	public void acquire(Bytes holder, Duration lease, Duration timeout, Callback<SetResult> callback) {
		call(callback, () -> set(within(this.template, timeout), holder, lease));
	}

	@Override
	public Runnable renew(Bytes holder, Duration lease, Duration timeout, Callback<SetResult> callback) {
		CompletableFuture<SetResult> reply = call(callback,
				() -> set(within(this.holderTemplate, timeout), holder, lease));
		return () -> reply.cancel(true);
	}

	private CompletableFuture<SetResult> set(StateStoreAsyncOperations operations, Bytes holder, Duration lease) {
		return operations.set(this.key, holder, (spec) -> spec.ifAbsentOrEqual().expire(lease).persistent());
	}

	@Override
	public void delete(Bytes holder, Duration timeout, Callback<DeleteResult> callback) {
		call(callback, () -> within(this.holderTemplate, timeout).deleteIfEquals(this.key, holder));
	}

	@Override
	public void read(Duration timeout, Callback<Optional<Entry<Bytes>>> callback) {
		call(callback, () -> within(this.holderTemplate, timeout).get(this.key, Bytes.class));
	}

	@Override
	public Watch watch(Watcher watcher) {
		KeyWatch watch;
		AtomicBoolean started = new AtomicBoolean();
		try {
			watch = this.template.async()
				.watch(this.key, Bytes.class,
						(spec) -> spec.id("lock " + this.key)
							.initial()
							.onState((state) -> notify(watcher, state, started)),
						watcher::changed);
		}
		catch (RuntimeException | Error ex) {
			// For example, the key is too long or the template cannot watch.
			logger.debug("Lock {} cannot be watched; requests are repeated instead", this.key, ex);
			watcher.refused();
			return NO_WATCH;
		}
		return new WatchWatch(watch);
	}

	private void notify(Watcher watcher, KeyWatch.State state, AtomicBoolean started) {
		logger.debug("Watch of lock {}: {}", this.key, state);
		switch (state) {
			case ACTIVE -> {
				if (started.compareAndSet(false, true)) {
					watcher.started();
				}
				else {
					watcher.resumed();
				}
			}
			case INTERRUPTED -> watcher.interrupted();
			case REFUSED -> watcher.refused();
		}
	}

	private static StateStoreAsyncOperations within(StateStoreTemplate template, Duration timeout) {
		return template.withTimeout(timeout).async();
	}

	private static <T> CompletableFuture<T> call(Callback<T> callback, Supplier<CompletableFuture<T>> call) {
		CompletableFuture<T> reply;
		try {
			reply = call.get();
		}
		catch (RuntimeException | Error ex) {
			reply = CompletableFuture.failedFuture(ex);
		}
		reply.whenComplete((result, failure) -> callback.done(result, (failure != null) ? unwrap(failure) : null));
		return reply;
	}

	private static StateStoreException unwrap(Throwable failure) {
		Throwable cause = failure;
		while (cause instanceof CompletionException && cause.getCause() != null) {
			cause = cause.getCause();
		}
		return (cause instanceof StateStoreException expected) ? expected
				: new StateStoreException("A call to the state store failed unexpectedly", cause);
	}

	/** Watch that is a watch of a template. */
	private record WatchWatch(KeyWatch watch) implements Watch {

		@Override
		public boolean isActive() {
			return this.watch.isActive();
		}

		@Override
		public void close() {
			this.watch.close();
		}

	}

}
