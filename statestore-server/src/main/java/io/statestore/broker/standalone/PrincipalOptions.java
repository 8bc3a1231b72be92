package io.statestore.broker.standalone;

import io.statestore.broker.principal.PrincipalLimits;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for limits per principal, the user that a client logs in as. */
final class PrincipalOptions {

	@Option(names = "--max-keys-per-user", paramLabel = "<number>",
			description = "Maximum number of keys that each user can create (default: three quarters of --max-keys)")
	private @Nullable Long maxKeys;

	@Option(names = "--max-connections-per-user", paramLabel = "<number>",
			description = "Maximum number of connections per user (default: 4096)")
	private @Nullable Long maxConnections;

	@Option(names = "--max-requests-per-user", paramLabel = "<number>",
			description = "Maximum number of unanswered requests per user. Additional requests wait (default: 16384)")
	private @Nullable Long maxRequests;

	/** Returns the given limits, changed by the options that are set. */
	PrincipalLimits apply(PrincipalLimits limits) {
		PrincipalLimits result = LimitOptions.with(limits, this.maxKeys, PrincipalLimits::withMaxKeys);
		result = LimitOptions.with(result, this.maxConnections, PrincipalLimits::withMaxConnections);
		return LimitOptions.with(result, this.maxRequests, PrincipalLimits::withMaxRequests);
	}

}
