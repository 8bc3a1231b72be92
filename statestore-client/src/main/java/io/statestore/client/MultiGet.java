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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.internal.CallObserver;
import io.statestore.client.internal.CallObserver.ObservedCall;
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

	/** Index of the next key to read. */
	private final AtomicInteger next = new AtomicInteger();

	private final AtomicInteger answered = new AtomicInteger();

	private final CommandFactory commands;

	private final List<TypedCommand<Optional<Entry<T>>>> gets;

	/** Replies by key index, {@code null} until the key's GET is sent. */
	private final AtomicReferenceArray<@Nullable CompletableFuture<Response>> replies;

	private final Duration timeout;

	private final long startTime;

	/** Iterates over the keys once. Sends nothing yet. */
	MultiGet(CommandFactory commands, Iterable<Key> keys, Type type) {
		Set<Key> distinct = new LinkedHashSet<>();
		Arguments.notNull("keys", keys).forEach((key) -> distinct.add(Arguments.notNull("key", key)));
		List<TypedCommand<Optional<Entry<T>>>> gets = new ArrayList<>();
		distinct.forEach((key) -> gets.add(commands.get(key, type)));
		Duration timeout = commands.timeout();
		this.commands = commands;
		this.gets = gets;
		this.replies = new AtomicReferenceArray<>(gets.size());
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
		this.done.whenComplete((all, failure) -> cancelAll());
		if (this.gets.isEmpty()) {
			this.done.complete(this);
		}
		int parallel = Math.min(MAX_IN_FLIGHT, Math.max(1, this.commands.connection().limits().maxPending() / SHARE));
		for (int i = 0; i < Math.min(parallel, this.gets.size()); i++) {
			sendNext(invoker);
		}
		return this.done;
	}

	/**
	 * Sends the next command, and more commands while replies are available immediately.
	 * Without the loop, each such reply would deepen the stack.
	 */
	private void sendNext(CommandInvoker invoker) {
		int index = this.next.getAndIncrement();
		while (index < this.gets.size() && !this.done.isDone()) {
			CompletableFuture<Response> reply = send(invoker, this.gets.get(index));
			this.replies.set(index, reply);
			if (this.done.isDone()) {
				reply.cancel(true);
			}
			if (!reply.isDone()) {
				reply.whenComplete((response, failure) -> {
					replied(failure);
					sendNext(invoker);
				});
				return;
			}
			reply.whenComplete((response, failure) -> replied(failure));
			index = this.next.getAndIncrement();
		}
	}

	private CompletableFuture<Response> send(CommandInvoker invoker, TypedCommand<?> get) {
		Duration left = this.timeout.minusNanos(this.commands.connection().time().nanoTime() - this.startTime);
		if (left.toMillis() < 1) {
			return CompletableFuture.failedFuture(new StateStoreOutcomeUnknownException(this.answered.get() + " of "
					+ this.gets.size() + " keys were read within " + this.timeout.toMillis()
					+ " ms. Read fewer keys per call, or allow more time using withTimeout"));
		}
		try {
			return invoker.invoke(get.command(), this.commands.optionsWithin(Duration.ofMillis(left.toMillis())));
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void replied(@Nullable Throwable failure) {
		if (failure != null) {
			this.done.completeExceptionally(Await.failure(failure, this::description));
		}
		else if (this.answered.incrementAndGet() == this.gets.size()) {
			this.done.complete(this);
		}
	}

	private void cancelAll() {
		for (int i = 0; i < this.replies.length(); i++) {
			CompletableFuture<Response> reply = this.replies.get(i);
			if (reply != null) {
				reply.cancel(true);
			}
		}
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
			CompletableFuture<Response> reply = this.replies.get(i);
			if (reply != null) {
				this.gets.get(i).convert(reply.join()).ifPresent((entry) -> entries.put(entry.key(), entry));
			}
		}
		return Collections.unmodifiableMap(entries);
	}

}
