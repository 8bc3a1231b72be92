package io.statestore.broker.standalone;

import io.statestore.broker.StateStoreBrokerBuilder;
import io.statestore.broker.memory.InvalidOptionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the port on which a node of a cluster answers stale reads. */
final class StaleReadOptions {

	@Option(names = "--stale-port", paramLabel = "<port>",
			description = "Port on which this node answers GET and SCAN from its own copy of the store, which may be "
					+ "outdated, also without a leader; 0 for a free one (default: none). All else is refused there")
	private @Nullable Integer port;

	@Option(names = "--stale-host", paramLabel = "<host>",
			description = "Host or address of --stale-port (default: the value of --host)")
	private @Nullable String host;

	/**
	 * Passes the options to a builder.
	 * @param node whether the broker is a node of a cluster
	 * @throws InvalidOptionException if a value is invalid
	 * @throws IllegalArgumentException if an option has no effect
	 */
	void apply(StateStoreBrokerBuilder builder, boolean node) {
		if (this.port == null) {
			if (this.host != null) {
				throw new IllegalArgumentException(
						"--stale-host requires a port; add --stale-port <port>, or omit --stale-host");
			}
			return;
		}
		if (!node) {
			throw new IllegalArgumentException(
					"--stale-port requires the name of this node; add --node <name>, or omit "
							+ "--stale-port for a broker without a cluster, whose reads are never stale");
		}
		LimitOptions.with(builder.stalePort(this.port), this.host, StateStoreBrokerBuilder::staleHost);
	}

}
