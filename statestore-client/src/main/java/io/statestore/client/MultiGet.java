package io.statestore.client;

import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.internal.CallObserver;
import io.statestore.client.internal.CallObserver.ObservedCall;
import io.statestore.client.internal.SerialEvents;
import io.statestore.protocol.TraceContext;
import org.jspecify.annotations.Nullable;

/**
 * GET commands for several keys, sent in parallel with a common deadline. The first
 * failure ends all of them, because omitted keys would look absent. An instance is used
 * once.
 *
 * @param <T> the type of the values
 */
final class MultiGet<T> implements Call<MultiGet<T>, Map<Key, Entry<T>>> {

	/** Maximum number of commands in flight, enough to keep the connection busy. */
	private static final int MAX_IN_FLIGHT = 1024;

	/**
	 * Divisor of the maximum number of pending calls. One multi-get may use a quarter of
	 * them.
	 */
	private static final int SHARE = 4;

	private final CompletableFuture<MultiGet<T>> done = new CompletableFuture<>();

	private final SerialEvents events = new SerialEvents("a read of several keys",
			(failure) -> this.done.completeExceptionally(failure));

	/**
	 * Replies to the commands sent so far. Accessed only by events, until all arrived.
	 */
	private final List<CompletableFuture<Response>> replies = new ArrayList<>();

	private final CommandFactory commands;

	private final List<TypedCommand<Optional<Entry<T>>>> gets;

	private final Duration timeout;

	private final long startTime;

	/** Number of replies. Accessed only by events. */
	private int answered;

	/** Iterates over the keys once. Sends nothing yet. */
	MultiGet(CommandFactory commands, Iterable<Key> keys, Type type) {
		Set<Key> distinct = new LinkedHashSet<>();
		Arguments.notNull("keys", keys).forEach((key) -> distinct.add(Arguments.notNull("key", key)));
		List<TypedCommand<Optional<Entry<T>>>> gets = new ArrayList<>();
		distinct.forEach((key) -> gets.add(commands.get(key, type)));
		Duration timeout = commands.timeout();
		this.commands = commands;
		this.gets = gets;
		this.timeout = (timeout != null) ? timeout : commands.connection().limits().timeout();
		this.startTime = commands.connection().time().nanoTime();
	}

	@Override
	public String description() {
		return "GET of " + this.gets.size() + " keys";
	}

	/** Starts one observation for all keys; no observation if there are no keys. */
	@Override
	public ObservedCall observe(CallObserver observer) {
		return switch (this.gets.size()) {
			case 0 -> ObservedCall.NONE;
			case 1 -> this.gets.get(0).observe(observer);
			default -> observer.start("GET", null, this.gets.size(), false);
		};
	}

	/**
	 * Sends the commands. The future completes with this object when all replies have
	 * arrived. Canceling it cancels the commands in flight.
	 */
	@Override
	public CompletableFuture<MultiGet<T>> send(CommandInvoker invoker, TraceContext traceContext) {
		this.done.whenComplete(
				(all, failure) -> this.events.submit(() -> this.replies.forEach((reply) -> reply.cancel(true))));
		this.events.submit(() -> proceed(invoker));
		return this.done;
	}

	/** Completes if all replies have arrived, or sends commands up to the limit. */
	private void proceed(CommandInvoker invoker) {
		int parallel = Math.min(MAX_IN_FLIGHT, Math.max(1, this.commands.connection().limits().maxPending() / SHARE));
		if (this.answered == this.gets.size()) {
			this.done.complete(this);
		}
		else if (!this.done.isDone() && this.replies.size() < Math.min(this.answered + parallel, this.gets.size())) {
			CompletableFuture<Response> reply = send(invoker, this.gets.get(this.replies.size()));
			this.replies.add(reply);
			reply.whenComplete((response, failure) -> this.events.submit(() -> replied(failure, invoker)));
			// Handle a failure that is already known before the next command.
			this.events.submit(() -> proceed(invoker));
		}
	}

	private CompletableFuture<Response> send(CommandInvoker invoker, TypedCommand<?> get) {
		Duration left = this.timeout.minusNanos(this.commands.connection().time().nanoTime() - this.startTime);
		if (left.toMillis() < 1) {
			return CompletableFuture.failedFuture(new StateStoreOutcomeUnknownException(
					this.answered + " of " + this.gets.size() + " keys were read within " + this.timeout.toMillis()
							+ " ms. Read fewer keys per call, or allow more time using withTimeout"));
		}
		try {
			return invoker.invoke(get.command(), this.commands.optionsWithin(Duration.ofMillis(left.toMillis())));
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void replied(@Nullable Throwable failure, CommandInvoker invoker) {
		if (failure != null) {
			this.done.completeExceptionally(Await.failure(failure, this::description));
			return;
		}
		this.answered++;
		proceed(invoker);
	}

	/**
	 * Converts the replies, all of which must have arrived.
	 * @return the entries that exist, in the order of the keys
	 * @throws StateStoreConversionException if a value is not of the type
	 */
	@Override
	public Map<Key, Entry<T>> convert(MultiGet<T> answer) {
		Map<Key, Entry<T>> entries = new LinkedHashMap<>();
		for (int i = 0; i < this.gets.size(); i++) {
			this.gets.get(i).convert(this.replies.get(i).join()).ifPresent((entry) -> entries.put(entry.key(), entry));
		}
		return Collections.unmodifiableMap(entries);
	}

}
