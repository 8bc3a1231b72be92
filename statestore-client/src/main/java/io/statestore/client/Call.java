package io.statestore.client;

import java.util.concurrent.CompletableFuture;

import io.statestore.client.internal.CallObserver;
import io.statestore.client.internal.CallObserver.ObservedCall;
import io.statestore.protocol.TraceContext;

/**
 * A call made by a template.
 *
 * @param <A> the type of the answer
 * @param <R> the type of the result
 */
interface Call<A, R> {

	String description();

	ObservedCall observe(CallObserver observer);

	/**
	 * Sends the commands that make up this call.
	 * @param invoker sends each command
	 * @return a future of the answer; canceling it cancels the call
	 */
	CompletableFuture<A> send(CommandInvoker invoker, TraceContext traceContext);

	/**
	 * Converts the answer to the result.
	 * @throws StateStoreException if the answer is not valid
	 */
	R convert(A answer);

}
