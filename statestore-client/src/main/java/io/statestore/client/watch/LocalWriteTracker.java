package io.statestore.client.watch;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

import io.statestore.client.CommandInvoker;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import org.jspecify.annotations.Nullable;

/**
 * Invoker that reports local writes to their keys' watches.
 *
 * @param watchedKeys returns the watched key, or {@code null} if the key is not watched
 */
record LocalWriteTracker(CommandInvoker invoker,
		Function<Bytes, @Nullable WatchedKey> watchedKeys) implements CommandInvoker {

	@Override
	public CompletableFuture<Response> invoke(Command command, Options options) {
		return track(command, () -> this.invoker.invoke(command, options));
	}

	@Override
	public CompletableFuture<Response> invokeForWaiter(Command command, Options options) {
		return track(command, () -> this.invoker.invokeForWaiter(command, options));
	}

	private CompletableFuture<Response> track(Command command, Supplier<CompletableFuture<Response>> call) {
		if (command instanceof Command.Write write) {
			WatchedKey watched = this.watchedKeys.apply(write.key());
			if (watched != null && watched.ignoresLocalWrites()) {
				return track(watched, write, call);
			}
		}
		return call.get();
	}

	private static CompletableFuture<Response> track(WatchedKey watched, Command.Write write,
			Supplier<CompletableFuture<Response>> call) {
		// Start before sending the write, because its notification precedes its reply.
		long id = watched.localWriteStarted();
		CompletableFuture<Response> reply;
		try {
			reply = call.get();
		}
		catch (RuntimeException | Error ex) {
			watched.localWriteFinished(id, null, !write.stores());
			throw ex;
		}
		// Return this future instead of the reply, because a future runs its newest
		// continuation first: a caller's continuation could wait for changes that are
		// held until the continuation below has run.
		CompletableFuture<Response> tracked = new CompletableFuture<>();
		reply.whenComplete((response, failure) -> {
			boolean changed = response != null && isChange(write, response.reply());
			watched.localWriteFinished(id, changed ? response.version() : null, !write.stores());
			if (failure != null) {
				tracked.completeExceptionally(failure);
			}
			else {
				tracked.complete(response);
			}
		});
		// Canceling the tracked future cancels the reply. This has no effect once the
		// reply has arrived.
		tracked.whenComplete((response, failure) -> reply.cancel(true));
		return tracked;
	}

	private static boolean isChange(Command.Write write, Reply reply) {
		return reply instanceof Reply.Ok
				|| (reply instanceof Reply.Count count && (write instanceof Command.Increment || count.number() > 0));
	}

}
