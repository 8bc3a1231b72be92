package io.statestore.client;

import java.util.concurrent.CompletableFuture;

import io.statestore.client.internal.CallObserver;
import io.statestore.client.internal.CallObserver.ObservedCall;
import io.statestore.protocol.TraceContext;

/**
 * A call of a template.
 *
 * @param <A> the type of the answer
 * @param <R> the type of the result
 */
interface Call<A, R> {

	/** Returns what is called, for messages. */
	String description();

	/** Starts the observation of this call. */
	ObservedCall observe(CallObserver observer);

	/**
	 * Sends the commands of this call.
	 * @param invoker sends each command
	 * @return a future, which can be canceled
	 */
	CompletableFuture<A> send(CommandInvoker invoker, TraceContext traceContext);

	/**
	 * Converts the answer.
	 * @throws StateStoreException if the answer is not valid
	 */
	R convert(A answer);

}
