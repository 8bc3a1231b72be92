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
 * Limits how many commands a connection's watches have in flight, so that thousands of
 * keys leave capacity for other calls. Beyond the limit, commands wait in order.
 * Thread-safe; never blocks.
 */
final class CommandGate {

	/** Maximum number of commands in flight, enough to keep the connection busy. */
	private static final int MAX_IN_FLIGHT = 256;

	/**
	 * Divisor of the maximum number of pending calls. Watches may use a quarter of them.
	 */
	private static final int SHARE = 4;

	private final Deque<WaitingCommand> waiting = new ConcurrentLinkedDeque<>();

	/** Calls in flight whose callbacks have not been called yet. */
	private final Set<CompletableFuture<Response>> calls = ConcurrentHashMap.newKeySet();

	/** Number of commands in flight, not counting urgent commands. */
	private final AtomicInteger inFlight = new AtomicInteger();

	/** Runs calls of {@link #sendWaiting()} one at a time, never nested. */
	private final SerialEvents drains = new SerialEvents("the commands of watches", (failure) -> {
		// The next run sends the commands that are still waiting.
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
			// GET goes first because it completes a synchronization that has begun.
			this.waiting.addFirst(next);
		}
		else {
			this.waiting.addLast(next);
		}
		this.drains.submit(this::sendWaiting);
	}

	/**
	 * Sends a lock's command immediately, using the capacity reserved for locks.
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
	 * Drops all commands without a reply, and does not call their callbacks. All keys are
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
