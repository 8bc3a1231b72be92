package io.statestore.client.lock;

import java.util.concurrent.CompletableFuture;

import io.statestore.client.CommandInvoker;
import io.statestore.client.StaleFencingTokenException;
import io.statestore.client.lock.LockLoss.Reason;
import io.statestore.protocol.Command;

/** Sends no write after the end of a tenure, and ends it when the store says so. */
final class TenureInvoker implements CommandInvoker {

	private final CommandInvoker invoker;

	private final Tenure tenure;

	TenureInvoker(CommandInvoker invoker, Tenure tenure) {
		this.invoker = invoker;
		this.tenure = tenure;
	}

	@Override
	public CompletableFuture<Response> invoke(Command command, Options options) {
		return isRefused(command) ? refusal() : watched(this.invoker.invoke(command, options));
	}

	@Override
	public CompletableFuture<Response> invokeForWaiter(Command command, Options options) {
		return isRefused(command) ? refusal() : watched(this.invoker.invokeForWaiter(command, options));
	}

	private boolean isRefused(Command command) {
		return command instanceof Command.Write && !this.tenure.isValid();
	}

	private CompletableFuture<Response> refusal() {
		return CompletableFuture.failedFuture(new LockLostException(this.tenure.lease().lossOrEnd()));
	}

	/** Completes after the tenure has ended where it does. */
	private CompletableFuture<Response> watched(CompletableFuture<Response> reply) {
		CompletableFuture<Response> watched = reply.whenComplete((response, failure) -> {
			if (failure instanceof StaleFencingTokenException) {
				this.tenure.lease().lose(Reason.FENCED);
			}
		});
		watched.whenComplete((response, failure) -> {
			if (watched.isCancelled()) {
				reply.cancel(true);
			}
		});
		return watched;
	}

}
