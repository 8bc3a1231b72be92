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
 * The GETs of several keys, sent without waiting for each other, with one deadline for
 * all. The first failure ends all of them, because keys left out would look absent.
 */
final class MultiGet<T> {

	/** Keeps the connection busy and leaves room for other calls. */
	private static final int MAX_IN_FLIGHT = 1024;

	/** Share of the pending calls that one call may take. */
	private static final int SHARE = 4;

	private final CompletableFuture<MultiGet<T>> done = new CompletableFuture<>();

	private final AtomicInteger next = new AtomicInteger();

	private final AtomicInteger answered = new AtomicInteger();

	private final BiFunction<Command, Options, CompletableFuture<Response>> sender;

	private final Calls calls;

	private final List<Call<Optional<Entry<T>>>> gets;

	/** Replies by position of the key, {@code null} before the GET is sent. */
	private final AtomicReferenceArray<@Nullable CompletableFuture<Response>> replies;

	private final Duration timeout;

	private final long startTime = System.nanoTime();

	/**
	 * @param sender sends one command
	 * @param keys iterated once, here
	 */
	MultiGet(BiFunction<Command, Options, CompletableFuture<Response>> sender, Calls calls, Iterable<Key> keys,
			Type type) {
		Set<Key> distinct = new LinkedHashSet<>();
		Arguments.notNull("keys", keys).forEach((key) -> distinct.add(Arguments.notNull("key", key)));
		List<Call<Optional<Entry<T>>>> gets = new ArrayList<>();
		distinct.forEach((key) -> gets.add(calls.get(key, type)));
		Duration timeout = calls.timeout();
		this.sender = sender;
		this.calls = calls;
		this.gets = gets;
		this.replies = new AtomicReferenceArray<>(gets.size());
		this.timeout = (timeout != null) ? timeout : calls.limits().timeout();
	}

	String description() {
		return "GET of " + this.gets.size() + " keys";
	}

	/**
	 * Sends the GETs.
	 * @return completed with this object when all replies have arrived; cancelling it
	 * cancels the GETs in flight
	 */
	CompletableFuture<MultiGet<T>> start() {
		this.done.whenComplete((all, failure) -> cancelAll());
		if (this.gets.isEmpty()) {
			this.done.complete(this);
		}
		int lanes = Math.min(MAX_IN_FLIGHT, Math.max(1, this.calls.limits().maxPending() / SHARE));
		for (int i = 0; i < Math.min(lanes, this.gets.size()); i++) {
			sendNext();
		}
		return this.done;
	}

	/** A loop, because the reply of an invoker may be there at once. */
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

	private CompletableFuture<Response> send(Call<?> get) {
		Duration left = this.timeout.minusNanos(System.nanoTime() - this.startTime);
		if (left.toMillis() < 1) {
			return CompletableFuture.failedFuture(new StateStoreOutcomeUnknownException(this.answered.get() + " of "
					+ this.gets.size() + " keys were read within " + this.timeout.toMillis()
					+ " ms. Read fewer keys at once, or allow more time using withTimeout"));
		}
		try {
			return this.sender.apply(get.command(), this.calls.optionsWithin(Duration.ofMillis(left.toMillis())));
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
	 * Converts the replies.
	 * @return the entries that exist, in the order of the keys
	 * @throws StateStoreConversionException if a value is not of the type
	 */
	static <T> Map<Key, Entry<T>> entries(MultiGet<T> gets) {
		Map<Key, Entry<T>> entries = new LinkedHashMap<>();
		for (int i = 0; i < gets.gets.size(); i++) {
			CompletableFuture<Response> reply = gets.replies.get(i);
			if (reply != null) {
				gets.gets.get(i).result().apply(reply.join()).ifPresent((entry) -> entries.put(entry.key(), entry));
			}
		}
		return Collections.unmodifiableMap(entries);
	}

}
