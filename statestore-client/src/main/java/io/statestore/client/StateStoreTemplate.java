package io.statestore.client;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import io.statestore.client.CommandFactory.Replacement;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.DeleteResult.Outcome;
import io.statestore.client.internal.CallObserver;
import io.statestore.client.internal.CallObserver.ObservedCall;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.InvalidOptionException;
import io.statestore.protocol.Version;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;

/**
 * Central class for reading and writing a state store. See {@link StateStoreOperations}
 * for the contract.
 * <p>
 * A template does not hold resources and need not be closed. One template per connection
 * is enough. A template can be proxied, for example by an aspect.
 */
public class StateStoreTemplate implements StateStoreOperations {

	private final AsyncTemplate async;

	private final CommandFactory commands;

	/**
	 * Creates a template that supports only {@code String}, {@code byte[]}, and
	 * {@link Bytes} values, and cannot watch keys.
	 * @param invoker sends the commands
	 */
	public StateStoreTemplate(CommandInvoker invoker) {
		this(invoker, invoker, new Values(null), null);
	}

	/**
	 * Creates a template for values of every type that the converter supports. It cannot
	 * watch keys.
	 * @param invoker sends the commands
	 * @param converter converts the values, for example a {@code JacksonValueConverter}
	 */
	public StateStoreTemplate(CommandInvoker invoker, ValueConverter converter) {
		this(invoker, invoker, new Values(Arguments.notNull("converter", converter)), null);
	}

	/**
	 * Creates a template that can also watch keys.
	 * @param invoker sends the commands
	 * @param converter converts values other than strings and bytes; {@code null} to
	 * support only strings and bytes
	 * @param watcher watches keys over the same connection
	 */
	public StateStoreTemplate(CommandInvoker invoker, @Nullable ValueConverter converter, KeyWatcher watcher) {
		this(Arguments.notNull("invoker", invoker), Arguments.notNull("watcher", watcher).tracking(invoker),
				new Values(converter), watcher);
	}

	private StateStoreTemplate(CommandInvoker connection, CommandInvoker invoker, Values values,
			@Nullable KeyWatcher watcher) {
		this(new AsyncTemplate(invoker, new CommandFactory(values, Options.DEFAULT,
				Arguments.notNull("invoker", connection), KeyPrefix.NONE, null, true), watcher, CallObserver.NONE));
	}

	private StateStoreTemplate(AsyncTemplate async) {
		this.async = async;
		this.commands = async.commands();
	}

	@Override
	public <T> Optional<Entry<T>> get(Key key, Class<T> type) {
		return execute(this.commands.get(key, type));
	}

	@Override
	public <T> Optional<Entry<T>> get(Key key, ParameterizedTypeReference<T> type) {
		return execute(this.commands.get(key, Arguments.notNull("type", type).getType()));
	}

	@Override
	public <T> Map<Key, Entry<T>> getAll(Iterable<Key> keys, Class<T> type) {
		return execute(new MultiGet<>(this.commands, keys, type));
	}

	@Override
	public <T> Map<Key, Entry<T>> getAll(Iterable<Key> keys, ParameterizedTypeReference<T> type) {
		return execute(new MultiGet<>(this.commands, keys, Arguments.notNull("type", type).getType()));
	}

	@Override
	public Optional<Duration> timeToLive(Key key) {
		return execute(this.commands.timeToLive(key));
	}

	@Override
	public SetResult set(Key key, Object value, Consumer<SetSpec> spec) {
		return execute(this.commands.set(key, value, spec));
	}

	@Override
	public Optional<Version> replace(Key key, Object value, Version expected) {
		return Optional.ofNullable(execute(this.commands.replace(key, value, expected)).version());
	}

	@Override
	public <T> Optional<T> update(Key key, Class<T> type, Function<Optional<T>, Optional<T>> change) {
		Optional<Entry<Bytes>> read = get(key, Bytes.class);
		while (true) {
			Optional<T> updated = change.apply(read.map((entry) -> this.commands.read(key, entry, type)));
			Entry<Bytes> present = null;
			if (read.isPresent() && updated.isPresent()) {
				Replacement result = execute(this.commands.replace(key, updated.get(), read.get().version()));
				if (result.version() != null) {
					return updated;
				}
				present = result.present();
			}
			else if (updated.isPresent() ? set(key, updated.get(), SetSpec::ifAbsent).applied()
					: read.isEmpty() || deleteIfEquals(key, read.get().value()).outcome() != Outcome.DIFFERENT) {
				return updated;
			}
			read = Optional.ofNullable(present).or(() -> get(key, Bytes.class));
		}
	}

	@Override
	public long increment(Key key, long delta) {
		return execute(this.commands.increment(key, delta));
	}

	@Override
	public DeleteResult delete(Key key) {
		return execute(this.commands.delete(key));
	}

	@Override
	public DeleteResult deleteIfEquals(Key key, Object expected) {
		return execute(this.commands.deleteIfEquals(key, expected));
	}

	@Override
	public KeyScan scan(String pattern) {
		TypedCommand<KeyPage> first = this.commands.scan(pattern, null);
		return new PagedKeyScan((token) -> execute((token != null) ? this.commands.scan(pattern, token) : first));
	}

	@Override
	public <T> KeyWatch watch(Key key, Class<T> type, Consumer<WatchSpec> spec, KeyChangeListener<T> listener) {
		return TypedWatcher.await(async().watch(key, type, spec, listener), this.commands.timeout());
	}

	@Override
	public <T> KeyWatch watch(Key key, ParameterizedTypeReference<T> type, Consumer<WatchSpec> spec,
			KeyChangeListener<T> listener) {
		return TypedWatcher.await(async().watch(key, type, spec, listener), this.commands.timeout());
	}

	@Override
	public <T> KeyWatch watchPattern(String pattern, ParameterizedTypeReference<T> type, Consumer<WatchSpec> spec,
			KeyChangeListener<T> listener) {
		return TypedWatcher.await(async().watchPattern(pattern, type, spec, listener), this.commands.timeout());
	}

	@Override
	public StateStoreOperations fencedBy(FencingToken token) {
		return with(this.commands.fencedBy(token));
	}

	/**
	 * Returns a template whose commands, but not watches, pass through another invoker,
	 * which can check them. Locks of this connection still check the new template's
	 * {@linkplain io.statestore.client.lock.LockOptions#unfencedWrites() unfenced
	 * writes}. They do not check writes of a template that is created with a wrapped
	 * invoker.
	 * @param decorator returns the new invoker, given the current invoker
	 * @return the template with the new invoker
	 */
	public StateStoreTemplate withInvoker(UnaryOperator<CommandInvoker> decorator) {
		CommandInvoker present = this.async.invoker();
		CommandInvoker invoker = Arguments.notNull("decorator", decorator).apply(present);
		// Observers need details that only a template knows, such as the keys of a call.
		return new StateStoreTemplate((invoker instanceof CallObserver observer)
				? new AsyncTemplate(present, this.commands, this.async.watcher(), observer)
				: new AsyncTemplate(Arguments.notNull("invoker", invoker), this.commands, this.async.watcher(),
						this.async.observer()));
	}

	/**
	 * Returns a template whose watches pass through another watcher, which can change
	 * their settings. If this template cannot watch keys, the new template cannot either.
	 * @param decorator returns the new watcher, given the current watcher
	 * @return the template with the new watcher
	 */
	public StateStoreTemplate withWatcher(UnaryOperator<KeyWatcher> decorator) {
		Arguments.notNull("decorator", decorator);
		KeyWatcher watcher = this.async.watcher();
		return (watcher != null) ? new StateStoreTemplate(
				new AsyncTemplate(this.async.invoker(), this.commands, decorator.apply(watcher), this.async.observer()))
				: this;
	}

	@Override
	public StateStoreOperations withTimeout(Duration timeout) {
		return with(this.commands.withTimeout(timeout));
	}

	/**
	 * Returns a template whose keys have a prefix in the store. Every operation adds the
	 * prefix to its keys: reads, writes, deletions, scans, and watches, also with
	 * {@link #fencedBy}, {@link #withTimeout}, and {@link #async}. The prefix is removed
	 * from the keys of entries, scans, and changes. Exceptions, logs, and traces show
	 * keys with the prefix.
	 * <p>
	 * A {@link io.statestore.client.lock.StateStoreLockRegistry} created with the
	 * template adds the prefix to its lock names, too.
	 * @param keyPrefix replaces the current prefix; up to 256 printable characters
	 * without {@code *}, {@code ?}, and {@code [}; empty for no prefix
	 * @return the template with the prefix
	 * @throws InvalidOptionException if the prefix is not valid
	 */
	public StateStoreTemplate withKeyPrefix(String keyPrefix) {
		return with(this.commands.withPrefix(KeyPrefix.of(keyPrefix)));
	}

	/**
	 * Returns the prefix that this template adds to its keys.
	 * @return the prefix, empty for none
	 */
	public String keyPrefix() {
		return this.commands.prefix().text();
	}

	/**
	 * Returns a template whose writes have an expiry by default. It applies to every
	 * {@code set}, including conditional writes. {@link SetSpec#expire} and
	 * {@link SetSpec#neverExpire()} take precedence. It does not apply to counters that
	 * {@link #increment} creates, nor to writes with a fencing token, because a key's
	 * fence is removed with the key. Locks are not affected.
	 * @param expiry 1 ms to 36,500 days, rounded up to milliseconds; {@code null} for
	 * none
	 * @return the template with the default expiry
	 * @throws InvalidOptionException if the expiry is out of range
	 */
	public StateStoreTemplate withDefaultExpiry(@Nullable Duration expiry) {
		return with(this.commands.withDefaultExpiry(expiry));
	}

	@Override
	public StateStoreTemplate withoutLockCheck() {
		return with(this.commands.unguarded());
	}

	private StateStoreTemplate with(CommandFactory commands) {
		return new StateStoreTemplate(this.async.with(commands));
	}

	/**
	 * Returns the invoker that this template was created with. Templates returned by
	 * {@code with} methods share it.
	 * @return the invoker, which identifies the connection
	 */
	public CommandInvoker connection() {
		return this.commands.connection();
	}

	/**
	 * Returns the time source for the operations' deadlines.
	 * @return the invoker's time source
	 */
	public TimeSource time() {
		return connection().time();
	}

	/**
	 * Returns whether this template is currently connected to the store.
	 * @return the invoker's {@link CommandInvoker#isConnected() state}
	 */
	public boolean isConnected() {
		return connection().isConnected();
	}

	@Override
	public StateStoreAsyncOperations async() {
		return this.async;
	}

	private <A, R> R execute(Call<A, R> call) {
		Await.requireNotInterrupted(call::description);
		ObservedCall observed = call.observe(this.async.observer());
		try {
			CompletableFuture<A> answer = call.send(this.async.invoker()::invokeForWaiter, observed.traceContext());
			// Convert on the caller's thread.
			R result = call.convert(Await.result(answer, time(), call::description));
			observed.end(null);
			return result;
		}
		catch (RuntimeException | Error ex) {
			observed.end(ex);
			throw ex;
		}
	}

}
