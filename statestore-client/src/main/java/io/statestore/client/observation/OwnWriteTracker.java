package io.statestore.client.observation;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.statestore.client.CommandInvoker;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import org.jspecify.annotations.Nullable;

/** Tells the observations of a key about writes of our own. */
final class OwnWriteTracker implements CommandInvoker {

	private final CommandInvoker invoker;

	private final Function<Bytes, @Nullable ObservedKey> observedKeys;

	OwnWriteTracker(CommandInvoker invoker, Function<Bytes, @Nullable ObservedKey> observedKeys) {
		this.invoker = invoker;
		this.observedKeys = observedKeys;
	}

	@Override
	public CompletableFuture<Response> invoke(Command command, Options options) {
		if (!(command instanceof Command.Write write)) {
			return this.invoker.invoke(command, options);
		}
		ObservedKey observed = this.observedKeys.apply(write.key());
		if (observed == null || !observed.ignoresOwn()) {
			return this.invoker.invoke(command, options);
		}
		// Before it is sent, because its notification comes before its reply.
		long id = observed.ownWriteStarted();
		boolean deletion = !(command instanceof Command.Set);
		CompletableFuture<Response> reply;
		try {
			reply = this.invoker.invoke(command, options);
		}
		catch (RuntimeException ex) {
			observed.submit((machine) -> machine.ownWriteFinished(id, null, deletion));
			throw ex;
		}
		reply.whenComplete((response, failure) -> observed.submit((machine) -> machine.ownWriteFinished(id,
				(response != null && isChange(response.reply())) ? response.version() : null, deletion)));
		return reply;
	}

	private static boolean isChange(Reply reply) {
		return reply instanceof Reply.Ok || (reply instanceof Reply.Count count && count.number() > 0);
	}

}
