package io.statestore.client;

import java.util.function.Function;

import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;

/**
 * A command, its options, and the conversion of its reply.
 *
 * @param <R> the type of the result
 * @param result converts the reply, and throws {@link StateStoreException} if the reply
 * is not valid
 */
record TypedCommand<R>(Command command, Options options, Function<Response, R> result) {

	/** Returns the command and its key, for messages. */
	String description() {
		return describe(this.command);
	}

	/** Returns a command and its key, for messages. */
	static String describe(Command command) {
		if (command instanceof Command.Write write) {
			String verb = (write instanceof Command.Set) ? "SET" : (write instanceof Command.Del) ? "DEL" : "VDEL";
			return verb + ofKey(write.key());
		}
		if (command instanceof Command.KeyNotify keyNotify) {
			return "KEYNOTIFY" + ofKey(keyNotify.key());
		}
		if (command instanceof Command.KeyNotifyStop keyNotifyStop) {
			return "KEYNOTIFY STOP" + ofKey(keyNotifyStop.key());
		}
		return (command instanceof Command.Get get) ? "GET" + ofKey(get.key()) : "SCAN";
	}

	private static String ofKey(Bytes key) {
		return " of key " + new Key(key).quoted();
	}

}
