package io.statestore.cli;

import java.io.IOException;

import io.statestore.client.Key;
import io.statestore.protocol.Bytes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Command {@code statestore vdel}: deletes a key if it has a value. */
@Command(name = "vdel", description = "Deletes a key if it has this value.")
final class VdelCommand extends DeletionCommand {

	@Mixin
	private final EntryArguments arguments = new EntryArguments();

	@Override
	void validate() {
		this.arguments.validate();
	}

	@Override
	int run(Session session) throws IOException {
		Key key = this.arguments.key();
		Bytes value = this.arguments.readValue(environment());
		return print(key, operations(session).deleteIfEquals(key, value));
	}

}
