package io.statestore.client;

import io.statestore.client.CallObserver.Call;
import io.statestore.client.CallObserver.ObservedCall;
import io.statestore.client.CommandInvoker.Server;
import io.statestore.protocol.Command;
import org.jspecify.annotations.Nullable;

/**
 * Observed calls of a template. While the observer is disabled, a call costs one branch.
 *
 * @param server the broker, or {@code null} if unknown
 */
record ObservedCalls(CallObserver observer, @Nullable Server server) {

	static final ObservedCalls NONE = new ObservedCalls(CallObserver.NONE, null);

	/** Starts the observation of a command. */
	ObservedCall start(Command command) {
		if (!this.observer.isEnabled()) {
			return ObservedCall.NONE;
		}
		Key key = TypedCommand.key(command);
		return this.observer.start(new Call(TypedCommand.verb(command), key, (key != null) ? 1 : 0,
				command instanceof Command.Write, this.server));
	}

	/** Starts the observation of the read of several keys, unless there are none. */
	ObservedCall start(MultiGet<?> gets) {
		return (gets.size() > 0 && this.observer.isEnabled())
				? this.observer.start(new Call("GET", gets.singleKey(), gets.size(), false, this.server))
				: ObservedCall.NONE;
	}

}
