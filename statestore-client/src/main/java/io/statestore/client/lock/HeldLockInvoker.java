package io.statestore.client.lock;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.statestore.client.CommandInvoker;
import io.statestore.client.Key;
import io.statestore.client.StaleFencingTokenException;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;

/**
 * Invoker of a tenure. Sends no write after the end of the tenure, and none to the keys
 * of the lock itself. If the store refuses a write as stale, the key of the lock is
 * checked. The tenure ends unless the key is unchanged. In that case another lock with a
 * newer token has written the data.
 *
 * @param invoker sends the commands
 * @param lease of the tenure
 * @param reserved keys of the lock, which only its lease may write
 * @param callbacks completes refused writes, which runs code of callers
 */
record HeldLockInvoker(CommandInvoker invoker, Lease lease, Set<Bytes> reserved,
		Executor callbacks) implements CommandInvoker {

	@Override
	public CompletableFuture<Response> invoke(Command command, Options options) {
		return send(command, () -> this.invoker.invoke(command, options));
	}

	@Override
	public CompletableFuture<Response> invokeForWaiter(Command command, Options options) {
		return send(command, () -> this.invoker.invokeForWaiter(command, options));
	}

	/**
	 * Sends a read, or a write within the tenure.
	 * @return the reply. If it is a refusal, it completes after the check of the key
	 * @throws IllegalArgumentException for a write to a key of the lock itself
	 */
	private CompletableFuture<Response> send(Command command, Supplier<CompletableFuture<Response>> request) {
		if (!(command instanceof Command.Write write)) {
			return request.get();
		}
		if (this.reserved.contains(write.key())) {
			throw new IllegalArgumentException("Key '" + Key.of(write.key()) + "' must not be written under lock '"
					+ this.lease.lock().key()
					+ "': it belongs to the lock itself. Store data under another key, or set "
					+ "'statestore.lock.key-prefix' (LockOptions.withKeyPrefix) so that locks have keys of their own");
		}
		if (!this.lease.status().isValid()) {
			return CompletableFuture.failedFuture(new LockLostException(this.lease.status().lossOrEnd()));
		}
		CompletableFuture<Response> reply = request.get();
		CompletableFuture<Response> verified = reply
			.handle((response, failure) -> (failure instanceof StaleFencingTokenException stale) ? refused(write, stale)
					: reply)
			.thenCompose((outcome) -> outcome);
		verified.whenComplete((response, failure) -> {
			if (verified.isCancelled()) {
				reply.cancel(true);
			}
		});
		return verified;
	}

	private CompletableFuture<Response> refused(Command.Write write, StaleFencingTokenException stale) {
		return this.lease.verify().thenApplyAsync((held) -> {
			throw new CompletionException(held ? new StaleFencingTokenException("The store refused to write key '"
					+ Key.of(write.key()) + "' under lock '" + this.lease.lock().key()
					+ "', which is still held: a newer "
					+ "fencing token has written the key, so it is also written under another lock. Write each key "
					+ "under one lock only") : stale);
		}, this.callbacks);
	}

}
