package io.statestore.client;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.internal.CallObserver;
import io.statestore.client.internal.CallObserver.ObservedCall;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import io.statestore.protocol.TraceContext;

/**
 * A command, its options, and the conversion of its reply.
 *
 * @param <R> the type of the result
 * @param result converts the reply to the result, or throws {@link StateStoreException}
 * if the reply is not valid
 */
record TypedCommand<R>(Command command, Options options, Function<Response, R> result) implements Call<Response, R> {

	@Override
	public String description() {
		return describe(this.command);
	}

	@Override
	public ObservedCall observe(CallObserver observer) {
		Bytes key = (this.command instanceof Command.Keyed keyed) ? keyed.key() : null;
		return observer.start(Commands.verb(this.command), key, (key != null) ? 1 : 0,
				this.command instanceof Command.Write);
	}

	@Override
	public CompletableFuture<Response> send(CommandInvoker invoker, TraceContext traceContext) {
		return invoker.invoke(this.command,
				traceContext.isEmpty() ? this.options : this.options.withTraceContext(traceContext));
	}

	@Override
	public R convert(Response response) {
		return this.result.apply(response);
	}

	/** Returns a command's name and key, for messages. */
	static String describe(Command command) {
		return (command instanceof Command.Keyed keyed)
				? Commands.verb(command) + " of key " + new Key(keyed.key()).quoted() : Commands.verb(command);
	}

}
