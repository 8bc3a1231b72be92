package io.statestore.cli;

import java.util.LinkedHashMap;
import java.util.Map;

import io.statestore.client.DeleteResult;
import io.statestore.client.Key;
import io.statestore.client.StateStoreOperations;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;

/** Command that deletes a key. */
abstract class DeletionCommand extends StoreCommand {

	@Mixin
	private final TokenOption token = new TokenOption();

	@Mixin
	private final OutputOptions output = new OutputOptions();

	/** Returns operations with the fencing token, if there is one. */
	final StateStoreOperations operations(Session session) {
		return this.token.apply(session.template());
	}

	/** Prints a result, and returns the exit code. */
	final int print(Key key, DeleteResult result) {
		Version version = result.version();
		Map<String, @Nullable Object> fields = new LinkedHashMap<>();
		fields.put("key", key);
		fields.put("deleted", result.deleted());
		fields.put("version", version);
		fields.put("time", (version != null) ? Versions.time(version) : null);
		this.output.print(fields);
		if (result.deleted()) {
			return ExitCodes.OK;
		}
		message("Key " + key + ((result.outcome() == DeleteResult.Outcome.ABSENT) ? " does not exist"
				: " has another value; nothing was changed"));
		return ExitCodes.NOT_MET;
	}

}
