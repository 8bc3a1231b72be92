package io.statestore.client.lock;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.statestore.client.CommandInvoker;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Gives a value to a reader only once the store has it under the token of the reader.
 * <p>
 * The store compares tokens when it is written to (protocol section 5). Until a new
 * holder has written a key, it still takes a late write of the one before, also between a
 * read and the write that follows from it. So the value read is stored once more first,
 * if it is still the same. A key that is absent carries no token; if the holder before
 * deletes the key at that very moment, this undoes it.
 */
final class ClaimingInvoker implements CommandInvoker {

	/** Beyond that all are forgotten, which costs a claim each. */
	private static final int MAX_KEYS = 10_000;

	/** What was last written through here carries the token already. */
	private final Map<Bytes, Version> written = new ConcurrentHashMap<>();

	private final CommandInvoker invoker;

	/**
	 * @param invoker is given commands with the token in their options
	 */
	ClaimingInvoker(CommandInvoker invoker) {
		this.invoker = invoker;
	}

	@Override
	public CompletableFuture<Response> invoke(Command command, Options options) {
		return invokeForWaiter(command, options);
	}

	@Override
	public CompletableFuture<Response> invokeForWaiter(Command command, Options options) {
		if (command instanceof Command.Get get) {
			return read(get, options);
		}
		if (command instanceof Command.Set set) {
			return write(set, options);
		}
		return this.invoker.invokeForWaiter(command, options);
	}

	private CompletableFuture<Response> read(Command.Get get, Options options) {
		return this.invoker.invokeForWaiter(get, options).thenCompose((response) -> {
			if (!(response.reply() instanceof Reply.Value value) || isOwn(get.key(), response.version())) {
				return CompletableFuture.completedFuture(response);
			}
			Command.Set same = new Command.Set(get.key(), value.value(), Condition.IF_ABSENT_OR_EQUAL, null);
			return write(same, options).thenCompose(
					(claim) -> isApplied(claim) ? CompletableFuture.completedFuture(response) : read(get, options));
		});
	}

	private boolean isOwn(Bytes key, @Nullable Version version) {
		return version != null && version.equals(this.written.get(key));
	}

	private CompletableFuture<Response> write(Command.Set set, Options options) {
		return this.invoker.invokeForWaiter(set, options).thenApply((response) -> {
			if (isApplied(response) && response.version() != null) {
				if (this.written.size() >= MAX_KEYS) {
					this.written.clear();
				}
				this.written.put(set.key(), response.version());
			}
			return response;
		});
	}

	private static boolean isApplied(Response response) {
		return response.reply() instanceof Reply.Ok;
	}

}
