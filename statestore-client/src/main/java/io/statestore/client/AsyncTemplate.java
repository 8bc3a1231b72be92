package io.statestore.client;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.statestore.client.CallObserver.ObservedCall;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;

/** Asynchronous operations of a {@link StateStoreTemplate}. */
final class AsyncTemplate implements StateStoreAsyncOperations {

	private final CommandInvoker invoker;

	private final CommandFactory commands;

	private final TypedWatcher watcher;

	private final ObservedCalls calls;

	AsyncTemplate(CommandInvoker invoker, CommandFactory commands, TypedWatcher watcher, ObservedCalls calls) {
		this.invoker = invoker;
		this.commands = commands;
		this.watcher = watcher;
		this.calls = calls;
	}

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
		return start(new MultiGet<>(this.invoker::invoke, this.commands, keys, type));
	}

	@Override
	public <T> CompletableFuture<Map<Key, Entry<T>>> getAll(Iterable<Key> keys, ParameterizedTypeReference<T> type) {
		return start(
				new MultiGet<>(this.invoker::invoke, this.commands, keys, Arguments.notNull("type", type).getType()));
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
		return this.watcher.watch(key, type, spec, listener);
	}

	@Override
	public <T> KeyWatch watch(Key key, ParameterizedTypeReference<T> type, Consumer<WatchSpec> spec,
			KeyChangeListener<T> listener) {
		return this.watcher.watch(key, Arguments.notNull("type", type).getType(), spec, listener);
	}

	@Override
	public StateStoreAsyncOperations fencedBy(FencingToken token) {
		return new AsyncTemplate(this.invoker, this.commands.fencedBy(token), this.watcher, this.calls);
	}

	@Override
	public StateStoreAsyncOperations withTimeout(Duration timeout) {
		return new AsyncTemplate(this.invoker, this.commands.withTimeout(timeout), this.watcher, this.calls);
	}

	private <R> CompletableFuture<R> start(Supplier<TypedCommand<R>> supplier) {
		TypedCommand<R> call;
		try {
			call = supplier.get();
		}
		catch (StateStoreException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		ObservedCall observed = this.calls.start(call.command());
		CompletableFuture<Response> reply;
		try {
			reply = this.invoker.invoke(call.command(), observed.options(call.options()));
		}
		catch (RuntimeException | Error ex) {
			observed.end(ex);
			throw ex;
		}
		return result(reply, call.description(), call.result(), observed);
	}

	/**
	 * Converts the result of a call. Unlike {@code thenApply}, it does not wrap the
	 * exception of a failed call, and canceling the result cancels the call.
	 */
	static <T, R> CompletableFuture<R> map(CompletableFuture<T> call, Function<T, R> conversion) {
		return result(call, "A call", conversion, ObservedCall.NONE);
	}

	private <T> CompletableFuture<Map<Key, Entry<T>>> start(MultiGet<T> gets) {
		ObservedCall observed = this.calls.start(gets);
		return result(gets.start(), gets.description(), MultiGet::entries, observed);
	}

	private static <T, R> CompletableFuture<R> result(CompletableFuture<T> reply, String what,
			Function<T, R> conversion, ObservedCall observed) {
		CompletableFuture<R> result = new CompletableFuture<>();
		reply.whenComplete((response, failure) -> complete(result, what, conversion, observed, response, failure));
		result.whenComplete((value, failure) -> {
			// Canceling the result cancels the call. No effect once the reply has
			// arrived.
			try {
				observed.end(failure);
			}
			finally {
				reply.cancel(true);
			}
		});
		return result;
	}

	private static <T, R> void complete(CompletableFuture<R> result, String what, Function<T, R> conversion,
			ObservedCall observed, @Nullable T response, @Nullable Throwable failure) {
		if (response == null) {
			fail(result, observed, Await.failure((failure != null) ? failure : new NullPointerException(), what));
			return;
		}
		R value;
		try {
			value = conversion.apply(response);
		}
		catch (RuntimeException | Error ex) {
			fail(result, observed, ex);
			return;
		}
		// Ended first, because a future runs its latest continuation first.
		try {
			observed.end(null);
		}
		finally {
			try {
				observed.complete(result, value);
			}
			finally {
				// Has an effect only if the observer failed.
				result.complete(value);
			}
		}
	}

	private static void fail(CompletableFuture<?> result, ObservedCall observed, Throwable failure) {
		try {
			observed.end(failure);
		}
		finally {
			try {
				observed.fail(result, failure);
			}
			finally {
				// Has an effect only if the observer failed.
				result.completeExceptionally(failure);
			}
		}
	}

}
