package io.statestore.cli;

import io.statestore.client.Key;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Command {@code statestore del}: deletes a key. */
@Command(name = "del", description = "Deletes a key.")
final class DelCommand extends DeletionCommand {

	@Mixin
	private final KeyArgument key = new KeyArgument();

	@Override
	void validate() {
		this.key.key();
	}

	@Override
	int run(Session session) {
		Key key = this.key.key();
		return print(key, operations(session).delete(key));
	}

}
