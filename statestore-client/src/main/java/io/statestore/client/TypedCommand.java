package io.statestore.client;

import java.util.function.Function;

import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.protocol.Command;
import org.jspecify.annotations.Nullable;

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
		Key key = key(command);
		return (key != null) ? verb(command) + " of key " + key.quoted() : verb(command);
	}

	/** Returns the name of a command. */
	static String verb(Command command) {
		if (command instanceof Command.KeyNotify) {
			return "KEYNOTIFY";
		}
		if (command instanceof Command.KeyNotifyStop) {
			return "KEYNOTIFY STOP";
		}
		if (command instanceof Command.Write) {
			return (command instanceof Command.Set) ? "SET" : (command instanceof Command.Del) ? "DEL" : "VDEL";
		}
		return (command instanceof Command.Get) ? "GET" : "SCAN";
	}

	/** Returns the key of a command, {@code null} if it has none. */
	static @Nullable Key key(Command command) {
		if (command instanceof Command.Write write) {
			return new Key(write.key());
		}
		if (command instanceof Command.KeyNotify keyNotify) {
			return new Key(keyNotify.key());
		}
		if (command instanceof Command.KeyNotifyStop keyNotifyStop) {
			return new Key(keyNotifyStop.key());
		}
		return (command instanceof Command.Get get) ? new Key(get.key()) : null;
	}

}
