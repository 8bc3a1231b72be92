package io.statestore.client;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.statestore.client.internal.CallObserver;
import io.statestore.client.internal.CallObserver.ObservedCall;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;

/** Asynchronous operations of a {@link StateStoreTemplate}. */
record AsyncTemplate(CommandInvoker invoker, CommandFactory commands, @Nullable KeyWatcher watcher,
		CallObserver observer) implements StateStoreAsyncOperations {

	@Override
	public <T> CompletableFuture<Optional<Entry<T>>> get(Key key, Class<T> type) {
		return start(() -> this.commands.get(key, type));
	}

	@Override
	public <T> CompletableFuture<Optional<Entry<T>>> get(Key key, ParameterizedTypeReference<T> type) {
		return start(() -> this.commands.get(key, Arguments.notNull("type", type).getType()));
	}

	@Override
	public <T> CompletableFuture<Map<Key, Entry<T>>> getAll(Iterable<Key> keys, Class<T> type) {
		return start(() -> new MultiGet<>(this.commands, keys, type));
	}

	@Override
	public <T> CompletableFuture<Map<Key, Entry<T>>> getAll(Iterable<Key> keys, ParameterizedTypeReference<T> type) {
		return start(() -> new MultiGet<>(this.commands, keys, Arguments.notNull("type", type).getType()));
	}

	@Override
	public CompletableFuture<Optional<Duration>> timeToLive(Key key) {
		return start(() -> this.commands.timeToLive(key));
	}

	@Override
	public CompletableFuture<SetResult> set(Key key, Object value, Consumer<SetSpec> spec) {
		return start(() -> this.commands.set(key, value, spec));
	}

	@Override
	public CompletableFuture<DeleteResult> delete(Key key) {
		return start(() -> this.commands.delete(key));
	}

	@Override
	public CompletableFuture<DeleteResult> deleteIfEquals(Key key, Object expected) {
		return start(() -> this.commands.deleteIfEquals(key, expected));
	}

	@Override
	public CompletableFuture<KeyPage> scan(String pattern) {
		return start(() -> this.commands.scan(pattern, null));
	}

	@Override
	public CompletableFuture<KeyPage> scan(String pattern, Bytes token) {
		return start(() -> this.commands.scan(pattern, Arguments.notNull("token", token)));
	}

	@Override
	public <T> KeyWatch watch(Key key, Class<T> type, Consumer<WatchSpec> spec, KeyChangeListener<T> listener) {
		return typedWatcher().watch(key, type, spec, listener);
	}

	@Override
	public <T> KeyWatch watch(Key key, ParameterizedTypeReference<T> type, Consumer<WatchSpec> spec,
			KeyChangeListener<T> listener) {
		return typedWatcher().watch(key, Arguments.notNull("type", type).getType(), spec, listener);
	}

	@Override
	public <T> KeyWatch watchPattern(String pattern, ParameterizedTypeReference<T> type, Consumer<WatchSpec> spec,
			KeyChangeListener<T> listener) {
		return typedWatcher().watchPattern(pattern, Arguments.notNull("type", type).getType(), spec, listener);
	}

	@Override
	public StateStoreAsyncOperations fencedBy(FencingToken token) {
		return with(this.commands.fencedBy(token));
	}

	@Override
	public StateStoreAsyncOperations withTimeout(Duration timeout) {
		return with(this.commands.withTimeout(timeout));
	}

	AsyncTemplate with(CommandFactory commands) {
		return new AsyncTemplate(this.invoker, commands, this.watcher, this.observer);
	}

	private TypedWatcher typedWatcher() {
		return new TypedWatcher(this.watcher, this.commands.values(), this.commands.prefix());
	}

	private <A, R> CompletableFuture<R> start(Supplier<Call<A, R>> supplier) {
		Call<A, R> call;
		try {
			call = supplier.get();
		}
		catch (StateStoreException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		ObservedCall observed = call.observe(this.observer);
		CompletableFuture<A> answer;
		try {
			answer = call.send(this.invoker, observed.traceContext());
		}
		catch (RuntimeException | Error ex) {
			observed.end(ex);
			throw ex;
		}
		return result(answer, call::description, call::convert, observed);
	}

	/**
	 * Converts the result of a call. Unlike {@code thenApply}, this method does not wrap
	 * a failed call's exception, and canceling the result cancels the call.
	 */
	static <T, R> CompletableFuture<R> map(CompletableFuture<T> call, Function<T, R> conversion) {
		return result(call, () -> "A call", conversion, ObservedCall.NONE);
	}

	private static <A, R> CompletableFuture<R> result(CompletableFuture<A> answer, Supplier<String> what,
			Function<A, R> conversion, ObservedCall observed) {
		CompletableFuture<R> result = new CompletableFuture<>();
		answer.whenComplete((response, failure) -> complete(result, what, conversion, observed, response, failure));
		result.whenComplete((value, failure) -> {
			observed.end(failure);
			// Canceling the result cancels the call. This has no effect once the answer
			// has arrived.
			answer.cancel(true);
		});
		return result;
	}

	private static <A, R> void complete(CompletableFuture<R> result, Supplier<String> what, Function<A, R> conversion,
			ObservedCall observed, @Nullable A answer, @Nullable Throwable failure) {
		try {
			if (answer == null) {
				throw Await.failure((failure != null) ? failure : new NullPointerException(), what);
			}
			R value = conversion.apply(answer);
			// End the observation here: the continuation that ends it runs after newer
			// continuations.
			observed.end(null);
			observed.inScopeOfCaller(() -> result.complete(value));
		}
		catch (RuntimeException | Error ex) {
			observed.end(ex);
			observed.inScopeOfCaller(() -> result.completeExceptionally(ex));
		}
	}

}
