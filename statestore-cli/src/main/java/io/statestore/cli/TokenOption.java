package io.statestore.cli;

import io.statestore.client.FencingToken;
import io.statestore.client.StateStoreOperations;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Option with the fencing token of a lock that the caller holds. */
class TokenOption {

	@Option(names = "--token", paramLabel = "<version>",
			description = "Fencing token: the version of the acquired lock")
	private @Nullable FencingToken token;

	/** Returns whether there is a token. */
	final boolean isSet() {
		return this.token != null;
	}

	/** Returns operations with the token, if there is one. */
	final StateStoreOperations apply(StateStoreOperations operations) {
		return (this.token != null) ? operations.fencedBy(this.token) : operations;
	}

}
