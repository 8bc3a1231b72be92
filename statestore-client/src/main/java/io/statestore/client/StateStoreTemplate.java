package io.statestore.client;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;

/**
 * Central class for reading and writing a state store. See {@link StateStoreOperations}
 * for the contract.
 * <p>
 * Holds no resources and lives as long as the connection behind its
 * {@link CommandInvoker}. One per application is enough. It can be proxied, for example
 * by an aspect.
 */
public class StateStoreTemplate implements StateStoreOperations {

	private final CommandInvoker invoker;

	private final Calls calls;

	private final Observing observing;

	/**
	 * Creates a template for values of the types {@code String}, {@code byte[]} and
	 * {@link Bytes} only.
	 * @param invoker sends the commands
	 */
	public StateStoreTemplate(CommandInvoker invoker) {
		this(invoker, new Values(null), null);
	}

	/**
	 * Creates a template for values of every type that the converter supports.
	 * @param invoker sends the commands
	 * @param converter such as {@code new JacksonValueConverter(jsonMapper)} for JSON
	 */
	public StateStoreTemplate(CommandInvoker invoker, ValueConverter converter) {
		this(invoker, new Values(Arguments.notNull("converter", converter)), null);
	}

	/**
	 * Creates a template that can also observe keys.
	 * @param invoker sends the commands
	 * @param converter for values other than texts and bytes, {@code null} for none
	 * @param observer observes keys over the same connection
	 */
	public StateStoreTemplate(CommandInvoker invoker, @Nullable ValueConverter converter, KeyObserver observer) {
		this(Arguments.notNull("observer", observer).tracking(Arguments.notNull("invoker", invoker)),
				new Values(converter), observer);
	}

	private StateStoreTemplate(CommandInvoker invoker, Values values, @Nullable KeyObserver observer) {
		this(Arguments.notNull("invoker", invoker), new Calls(values, Options.DEFAULT, invoker.limits()),
				new Observing(observer, values));
	}

	private StateStoreTemplate(CommandInvoker invoker, Calls calls, Observing observing) {
		this.invoker = invoker;
		this.calls = calls;
		this.observing = observing;
	}

	@Override
	public <T> Optional<Entry<T>> get(Key key, Class<T> type) {
		return execute(this.calls.get(key, type));
	}

	@Override
	public <T> Optional<Entry<T>> get(Key key, ParameterizedTypeReference<T> type) {
		return execute(this.calls.get(key, Arguments.notNull("type", type).getType()));
	}

	@Override
	public <T> Map<Key, Entry<T>> getAll(Iterable<Key> keys, Class<T> type) {
		return execute(new MultiGet<>(this.invoker::invokeForWaiter, this.calls, keys, type));
	}

	@Override
	public <T> Map<Key, Entry<T>> getAll(Iterable<Key> keys, ParameterizedTypeReference<T> type) {
		return execute(new MultiGet<>(this.invoker::invokeForWaiter, this.calls, keys,
				Arguments.notNull("type", type).getType()));
	}

	@Override
	public SetResult set(Key key, Object value, Consumer<SetSpec> spec) {
		return execute(this.calls.set(key, value, spec));
	}

	@Override
	public DeleteResult delete(Key key) {
		return execute(this.calls.delete(key));
	}

	@Override
	public DeleteResult deleteIfEquals(Key key, Object expected) {
		return execute(this.calls.deleteIfEquals(key, expected));
	}

	@Override
	public KeyScan scan(String pattern) {
		Call<KeyPage> first = this.calls.scan(pattern, null);
		return new PagedKeyScan((token) -> execute((token != null) ? this.calls.scan(pattern, token) : first));
	}

	@Override
	public <T> KeyObservation observe(Key key, Class<T> type, Consumer<ObserveSpec> spec,
			KeyChangeListener<T> listener) {
		return Observing.await(async().observe(key, type, spec, listener), this.calls.timeout());
	}

	@Override
	public <T> KeyObservation observe(Key key, ParameterizedTypeReference<T> type, Consumer<ObserveSpec> spec,
			KeyChangeListener<T> listener) {
		return Observing.await(async().observe(key, type, spec, listener), this.calls.timeout());
	}

	@Override
	public StateStoreOperations fencedBy(FencingToken token) {
		return new StateStoreTemplate(this.invoker, this.calls.fencedBy(token), this.observing);
	}

	/**
	 * Returns the same template with its calls decorated, such as to check every command.
	 * Observations do not pass through the decorated invoker.
	 * @param decorator receives the present invoker
	 * @return the template with the decorated invoker
	 */
	public StateStoreTemplate withInvoker(UnaryOperator<CommandInvoker> decorator) {
		CommandInvoker invoker = Arguments.notNull("decorator", decorator).apply(this.invoker);
		return new StateStoreTemplate(Arguments.notNull("invoker", invoker), this.calls, this.observing);
	}

	/**
	 * Returns the same template with its observations decorated, such as to change their
	 * settings. Has no effect on a template that cannot observe keys.
	 * @param decorator receives the present observer
	 * @return the template with the decorated observer
	 */
	public StateStoreTemplate withObserver(UnaryOperator<KeyObserver> decorator) {
		return new StateStoreTemplate(this.invoker, this.calls,
				this.observing.decorated(Arguments.notNull("decorator", decorator)));
	}

	@Override
	public StateStoreOperations withTimeout(Duration timeout) {
		return new StateStoreTemplate(this.invoker, this.calls.withTimeout(timeout), this.observing);
	}

	@Override
	public StateStoreAsyncOperations async() {
		return new AsyncTemplate(this.invoker, this.calls, this.observing);
	}

	private <R> R execute(Call<R> call) {
		Await.requireNotInterrupted(call.description());
		CompletableFuture<Response> reply = this.invoker.invokeForWaiter(call.command(), call.options());
		// Converted here, on the thread of the caller.
		return call.result().apply(Await.result(reply, call.description()));
	}

	private static <T> Map<Key, Entry<T>> execute(MultiGet<T> gets) {
		Await.requireNotInterrupted(gets.description());
		return MultiGet.entries(Await.result(gets.start(), gets.description()));
	}

}
