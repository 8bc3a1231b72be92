package io.statestore.cli;

import java.io.IOException;

import io.statestore.client.DeleteResult;
import io.statestore.client.Key;
import io.statestore.client.StateStoreOperations;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code statestore del}: deletes a key. */
@Command(name = "del", description = "Deletes a key.")
final class DelCommand extends KeyCommand {

	@Option(names = "--if-equal", paramLabel = "<value>",
			description = "Only if the key has this value, or that of the standard input if the value is -")
	private @Nullable String expected;

	@Mixin
	private final ValueArgument value = new ValueArgument();

	@Mixin
	private final TokenOption token = new TokenOption();

	@Override
	int run(Session session, Key key) throws IOException {
		StateStoreOperations operations = this.token.apply(session.template());
		DeleteResult result = (this.expected == null) ? operations.delete(key)
				: operations.deleteIfEquals(key, this.value.read(this.expected, environment()));
		print("key deleted version time", key, result.deleted(), result.version(),
				(result.version() != null) ? Versions.time(result.version()) : null);
		if (result.deleted()) {
			return ExitCodes.OK;
		}
		return notMet("Key " + key + ((result.outcome() == DeleteResult.Outcome.ABSENT) ? " does not exist"
				: " has another value; nothing was changed"));
	}

}
