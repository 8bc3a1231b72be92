package io.statestore.client.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.statestore.client.CommandInvoker;
import io.statestore.client.DeleteResult;
import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyWatch;
import io.statestore.client.SetResult;
import io.statestore.client.StateStoreAsyncOperations;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.internal.CallObserver;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A lock's key that is accessed and watched through a template. */
final class WatchedLockStore implements LockStore {

	private static final Logger logger = LoggerFactory.getLogger(WatchedLockStore.class);

	private final Key key;

	private final StateStoreTemplate template;

	/**
	 * Template for requests by holders: renewals, checks before renewals, and releases.
	 */
	private final StateStoreTemplate holderTemplate;

	WatchedLockStore(Key key, StateStoreTemplate template) {
		this.key = key;
		// Otherwise, Micrometer would observe a renewal every few seconds.
		StateStoreTemplate unwatched = template.withInvoker(Unobserved::new);
		// Callbacks never block, so they can run on the thread that receives the reply or
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
	public Runnable watch(Consumer<KeyWatch.State> states, Consumer<KeyChange<Bytes>> changes) {
		try {
			KeyWatch watch = this.template.async()
				.watch(this.key, Bytes.class, (spec) -> spec.id("lock " + this.key).initial().onState((state) -> {
					logger.debug("Watch of lock {}: {}", this.key, state);
					states.accept(state);
				}), changes::accept);
			return watch::close;
		}
		catch (RuntimeException | Error ex) {
			// For example, the key is too long, or the template cannot watch keys.
			logger.debug("Lock {} cannot be watched; requests are repeated instead", this.key, ex);
			states.accept(KeyWatch.State.REFUSED);
			return () -> {
			};
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
		reply.whenComplete((result, failure) -> callback.done(result,
				(failure == null || failure instanceof StateStoreException) ? (StateStoreException) failure
						: new StateStoreException("A call to the state store failed unexpectedly", failure)));
		return reply;
	}

	/** Invoker that excludes a template's calls from observation. */
	private record Unobserved(CommandInvoker invoker) implements CommandInvoker, CallObserver {

		@Override
		public CompletableFuture<Response> invoke(Command command, Options options) {
			return this.invoker.invoke(command, options);
		}

		@Override
		public ObservedCall start(String command, @Nullable Bytes key, int keyCount, boolean write) {
			return ObservedCall.NONE;
		}

	}

}
