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
import java.util.function.BiFunction;

import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.protocol.Command;
import org.jspecify.annotations.Nullable;

/**
 * GET commands of several keys, sent in parallel, with one deadline for all. The first
 * failure ends all of them, because omitted keys would look absent. Used once.
 *
 * @param <T> the type of the values
 */
final class MultiGet<T> {

	/** Maximum number of commands in flight, enough to keep the connection busy. */
	private static final int MAX_IN_FLIGHT = 1024;

	/** Divisor of the maximum number of pending calls: one object may use a quarter. */
	private static final int SHARE = 4;

	private final CompletableFuture<MultiGet<T>> done = new CompletableFuture<>();

	/** Position of the next key to read. */
	private final AtomicInteger next = new AtomicInteger();

	private final AtomicInteger answered = new AtomicInteger();

	private final BiFunction<Command, Options, CompletableFuture<Response>> sender;

	private final CommandFactory commands;

	private final List<TypedCommand<Optional<Entry<T>>>> gets;

	/** Replies by position of the key, {@code null} before the GET is sent. */
	private final AtomicReferenceArray<@Nullable CompletableFuture<Response>> replies;

	private final Duration timeout;

	private final long startTime;

	/**
	 * Iterates over the keys once, and sends nothing yet.
	 * @param sender sends one command
	 */
	MultiGet(BiFunction<Command, Options, CompletableFuture<Response>> sender, CommandFactory commands,
			Iterable<Key> keys, Type type) {
		Set<Key> distinct = new LinkedHashSet<>();
		Arguments.notNull("keys", keys).forEach((key) -> distinct.add(Arguments.notNull("key", key)));
		List<TypedCommand<Optional<Entry<T>>>> gets = new ArrayList<>();
		distinct.forEach((key) -> gets.add(commands.get(key, type)));
		Duration timeout = commands.timeout();
		this.sender = sender;
		this.commands = commands;
		this.gets = gets;
		this.replies = new AtomicReferenceArray<>(gets.size());
		this.timeout = (timeout != null) ? timeout : commands.limits().timeout();
		this.startTime = commands.time().nanoTime();
	}

	/** Returns the number of keys. */
	int size() {
		return this.gets.size();
	}

	/** Returns the key if there is exactly one, otherwise {@code null}. */
	@Nullable Key singleKey() {
		return (this.gets.size() == 1) ? TypedCommand.key(this.gets.get(0).command()) : null;
	}

	/** Returns what is read, for messages. */
	String description() {
		return "GET of " + this.gets.size() + " keys";
	}

	/**
	 * Sends the commands.
	 * @return a future that completes with this object when all replies have arrived.
	 * Canceling it cancels the commands in flight
	 */
	CompletableFuture<MultiGet<T>> start() {
		this.done.whenComplete((all, failure) -> cancelAll());
		if (this.gets.isEmpty()) {
			this.done.complete(this);
		}
		int parallel = Math.min(MAX_IN_FLIGHT, Math.max(1, this.commands.limits().maxPending() / SHARE));
		for (int i = 0; i < Math.min(parallel, this.gets.size()); i++) {
			sendNext();
		}
		return this.done;
	}

	/**
	 * Sends the next command, and further ones while replies are available immediately.
	 * Without the loop, each such reply would deepen the stack.
	 */
	private void sendNext() {
		int index = this.next.getAndIncrement();
		while (index < this.gets.size() && !this.done.isDone()) {
			CompletableFuture<Response> reply = send(this.gets.get(index));
			this.replies.set(index, reply);
			if (this.done.isDone()) {
				reply.cancel(true);
			}
			if (!reply.isDone()) {
				reply.whenComplete((response, failure) -> {
					replied(failure);
					sendNext();
				});
				return;
			}
			reply.whenComplete((response, failure) -> replied(failure));
			index = this.next.getAndIncrement();
		}
	}

	private CompletableFuture<Response> send(TypedCommand<?> get) {
		Duration left = this.timeout.minusNanos(this.commands.time().nanoTime() - this.startTime);
		if (left.toMillis() < 1) {
			return CompletableFuture.failedFuture(new StateStoreOutcomeUnknownException(this.answered.get() + " of "
					+ this.gets.size() + " keys were read within " + this.timeout.toMillis()
					+ " ms. Read fewer keys at once, or allow more time using withTimeout"));
		}
		try {
			return this.sender.apply(get.command(), this.commands.optionsWithin(Duration.ofMillis(left.toMillis())));
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void replied(@Nullable Throwable failure) {
		if (failure != null) {
			this.done.completeExceptionally(Await.failure(failure, description()));
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
	Map<Key, Entry<T>> entries() {
		Map<Key, Entry<T>> entries = new LinkedHashMap<>();
		for (int i = 0; i < this.gets.size(); i++) {
			CompletableFuture<Response> reply = this.replies.get(i);
			if (reply != null) {
				this.gets.get(i).result().apply(reply.join()).ifPresent((entry) -> entries.put(entry.key(), entry));
			}
		}
		return Collections.unmodifiableMap(entries);
	}

}
