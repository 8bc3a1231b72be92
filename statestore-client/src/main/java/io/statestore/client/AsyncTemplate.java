package io.statestore.client;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.statestore.client.CommandInvoker.Response;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;

/** The asynchronous side of {@link StateStoreTemplate}. */
final class AsyncTemplate implements StateStoreAsyncOperations {

	private final CommandInvoker invoker;

	private final Calls calls;

	private final Observing observing;

	AsyncTemplate(CommandInvoker invoker, Calls calls, Observing observing) {
		this.invoker = invoker;
		this.calls = calls;
		this.observing = observing;
	}

	@Override
	public <T> CompletableFuture<Optional<Entry<T>>> get(Key key, Class<T> type) {
		return start(() -> this.calls.get(key, type));
	}

	@Override
	public <T> CompletableFuture<Optional<Entry<T>>> get(Key key, ParameterizedTypeReference<T> type) {
		return start(() -> this.calls.get(key, Arguments.notNull("type", type).getType()));
	}

	@Override
	public CompletableFuture<SetResult> set(Key key, Object value, Consumer<SetSpec> spec) {
		return start(() -> this.calls.set(key, value, spec));
	}

	@Override
	public CompletableFuture<DeleteResult> delete(Key key) {
		return start(() -> this.calls.delete(key));
	}

	@Override
	public CompletableFuture<DeleteResult> deleteIfEquals(Key key, Object expected) {
		return start(() -> this.calls.deleteIfEquals(key, expected));
	}

	@Override
	public CompletableFuture<KeyPage> scan(String pattern) {
		return start(() -> this.calls.scan(pattern, null));
	}

	@Override
	public CompletableFuture<KeyPage> scan(String pattern, Bytes token) {
		return start(() -> this.calls.scan(pattern, Arguments.notNull("token", token)));
	}

	@Override
	public <T> KeyObservation observe(Key key, Class<T> type, Consumer<ObserveSpec> spec,
			KeyChangeListener<T> listener) {
		return this.observing.observe(key, type, spec, listener);
	}

	@Override
	public <T> KeyObservation observe(Key key, ParameterizedTypeReference<T> type, Consumer<ObserveSpec> spec,
			KeyChangeListener<T> listener) {
		return this.observing.observe(key, Arguments.notNull("type", type).getType(), spec, listener);
	}

	@Override
	public StateStoreAsyncOperations fencedBy(FencingToken token) {
		return new AsyncTemplate(this.invoker, this.calls.fencedBy(token), this.observing);
	}

	@Override
	public StateStoreAsyncOperations withTimeout(Duration timeout) {
		return new AsyncTemplate(this.invoker, this.calls.withTimeout(timeout), this.observing);
	}

	private <R> CompletableFuture<R> start(Supplier<Call<R>> supplier) {
		Call<R> call;
		try {
			call = supplier.get();
		}
		catch (StateStoreException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		CompletableFuture<Response> reply = this.invoker.invoke(call.command(), call.options());
		CompletableFuture<R> result = new CompletableFuture<>();
		reply.whenComplete((response, failure) -> complete(result, call, response, failure));
		// Whoever gives up the result gives up the reply; no effect where it has come.
		result.whenComplete((value, failure) -> reply.cancel(true));
		return result;
	}

	private static <R> void complete(CompletableFuture<R> result, Call<R> call, @Nullable Response response,
			@Nullable Throwable failure) {
		if (response == null) {
			result.completeExceptionally(Await.failure((failure != null) ? failure : new NullPointerException(), call));
			return;
		}
		try {
			result.complete(call.result().apply(response));
		}
		catch (RuntimeException | Error ex) {
			result.completeExceptionally(ex);
		}
	}

}
