package io.statestore.client.lock;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.statestore.client.CommandInvoker;
import io.statestore.client.Key;
import io.statestore.client.StaleFencingTokenException;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;

/**
 * Sends no write after the end of a tenure and none to the keys of the lock itself. A
 * write refused as stale ends the tenure, unless the key of the lock is still its own:
 * then another lock with a newer token has written the data.
 */
final class TenureInvoker implements CommandInvoker {

	private final CommandInvoker invoker;

	private final Tenure tenure;

	/** Keys of the lock, which only its lease may write. */
	private final Set<Bytes> reserved;

	TenureInvoker(CommandInvoker invoker, Tenure tenure, Set<Bytes> reserved) {
		this.invoker = invoker;
		this.tenure = tenure;
		this.reserved = reserved;
	}

	@Override
	public CompletableFuture<Response> invoke(Command command, Options options) {
		return isRefused(command) ? refusal() : watched(command, this.invoker.invoke(command, options));
	}

	@Override
	public CompletableFuture<Response> invokeForWaiter(Command command, Options options) {
		return isRefused(command) ? refusal() : watched(command, this.invoker.invokeForWaiter(command, options));
	}

	private boolean isRefused(Command command) {
		if (!(command instanceof Command.Write write)) {
			return false;
		}
		if (this.reserved.contains(write.key())) {
			throw new IllegalArgumentException("Key '" + Key.of(write.key()) + "' must not be written under lock '"
					+ this.tenure.key() + "': it belongs to the lock itself. Store data under another key, or set "
					+ "'statestore.lock.key-prefix' (LockOptions.withKeyPrefix) so that locks have keys of their own");
		}
		return !this.tenure.isValid();
	}

	private CompletableFuture<Response> refusal() {
		return CompletableFuture.failedFuture(new LockLostException(this.tenure.lease().lossOrEnd()));
	}

	/** Completes after the loss of the tenure, if the reply means one. */
	private CompletableFuture<Response> watched(Command command, CompletableFuture<Response> reply) {
		CompletableFuture<Response> watched = reply.handle((response, failure) -> {
			if (failure instanceof StaleFencingTokenException stale && command instanceof Command.Write write) {
				return refused(write, stale);
			}
			return reply;
		}).thenCompose((outcome) -> outcome);
		watched.whenComplete((response, failure) -> {
			if (watched.isCancelled()) {
				reply.cancel(true);
			}
		});
		return watched;
	}

	private CompletableFuture<Response> refused(Command.Write write, StaleFencingTokenException stale) {
		return this.tenure.lease().verify().thenApplyAsync((held) -> {
			throw new CompletionException(held ? new StaleFencingTokenException("The store refused to write key '"
					+ Key.of(write.key()) + "' under lock '" + this.tenure.key() + "', which is still held: a newer "
					+ "fencing token has written the key, so it is also written under another lock. Write each key "
					+ "under one lock only") : stale);
		}, this.tenure.callbacks());
	}

}
