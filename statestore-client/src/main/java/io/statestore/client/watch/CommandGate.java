package io.statestore.client.watch;

import java.util.Deque;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import io.statestore.client.CommandInvoker;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.internal.SerialEvents;
import io.statestore.protocol.Command;
import org.jspecify.annotations.Nullable;

/**
 * Limits the commands in flight of all watches of one connection, so that thousands of
 * keys leave capacity for other calls. Further commands wait in order. Safe for use by
 * several threads; never blocks.
 */
final class CommandGate {

	/** Maximum number of commands in flight, enough to keep the connection busy. */
	private static final int MAX_IN_FLIGHT = 256;

	/** Divisor of the maximum number of pending calls: watches may use a quarter. */
	private static final int SHARE = 4;

	private final Deque<WaitingCommand> waiting = new ConcurrentLinkedDeque<>();

	/** Calls in flight whose callbacks are still to be called. */
	private final Set<CompletableFuture<Response>> calls = ConcurrentHashMap.newKeySet();

	/** Number of commands in flight, without urgent ones. */
	private final AtomicInteger inFlight = new AtomicInteger();

	/** Requests to send waiting commands, which are never nested. */
	private final SerialEvents drains = new SerialEvents("the commands of watches", (failure) -> {
		// The next request sends what still waits.
	});

	private final CommandInvoker invoker;

	private final int limit;

	CommandGate(CommandInvoker invoker) {
		this(invoker, Math.min(MAX_IN_FLIGHT, Math.max(1, invoker.limits().maxPending() / SHARE)));
	}

	CommandGate(CommandInvoker invoker, int limit) {
		this.invoker = invoker;
		this.limit = limit;
	}

	/**
	 * Sends a command as soon as the limit allows it.
	 * @param callback receives the reply or the failure
	 */
	void submit(Command command, BiConsumer<@Nullable Response, @Nullable Throwable> callback) {
		WaitingCommand next = new WaitingCommand(command, callback);
		if (command instanceof Command.Get) {
			// GET goes first: it completes a synchronization that has begun.
			this.waiting.addFirst(next);
		}
		else {
			this.waiting.addLast(next);
		}
		this.drains.submit(this::sendWaiting);
	}

	/**
	 * Sends a command of a lock at once, with the capacity reserved for locks.
	 * @param callback receives the reply or the failure
	 */
	void submitUrgently(Command command, BiConsumer<@Nullable Response, @Nullable Throwable> callback) {
		CompletableFuture<Response> reply = call(
				() -> this.invoker.invokeForWaiter(command, Options.DEFAULT.asUrgent()));
		reply.whenComplete((response, failure) -> {
			if (this.calls.remove(reply)) {
				callback.accept(response, failure);
			}
		});
	}

	/**
	 * Drops all commands without a reply, and never calls their callbacks. All keys are
	 * synchronized on the next connection. Commands that the invoker has not sent yet are
	 * canceled, because a late KEYNOTIFY STOP could end the next watch of its key.
	 */
	void clear() {
		this.waiting.clear();
		for (CompletableFuture<Response> reply : this.calls) {
			if (this.calls.remove(reply)) {
				reply.cancel(true);
			}
		}
	}

	private void sendWaiting() {
		while (this.inFlight.get() < this.limit) {
			WaitingCommand next = this.waiting.poll();
			if (next == null) {
				return;
			}
			this.inFlight.incrementAndGet();
			CompletableFuture<Response> reply = call(() -> this.invoker.invoke(next.command(), Options.DEFAULT));
			reply.whenComplete((response, failure) -> {
				this.inFlight.decrementAndGet();
				if (this.calls.remove(reply)) {
					next.callback().accept(response, failure);
				}
				this.drains.submit(this::sendWaiting);
			});
		}
	}

	private CompletableFuture<Response> call(Supplier<CompletableFuture<Response>> call) {
		CompletableFuture<Response> reply;
		try {
			reply = call.get();
		}
		catch (RuntimeException | Error ex) {
			reply = CompletableFuture.failedFuture(ex);
		}
		this.calls.add(reply);
		return reply;
	}

	private record WaitingCommand(Command command, BiConsumer<@Nullable Response, @Nullable Throwable> callback) {
	}

}
