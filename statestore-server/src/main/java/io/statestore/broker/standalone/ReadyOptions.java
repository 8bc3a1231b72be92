package io.statestore.broker.standalone;

import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the HTTP port that answers health checks. */
final class ReadyOptions {

	@Option(names = "--ready-port", paramLabel = "<port>",
			description = "HTTP port for health checks, or 0 for any free port. /readyz answers 200 while clients are "
					+ "served, /leaderz answers 200 only on the leader of a cluster; otherwise both answer 503 "
					+ "(default: no health checks)")
	private @Nullable Integer port;

	@Option(names = "--ready-host", paramLabel = "<host>",
			description = "Host or address that --ready-port listens on, or 0.0.0.0 for all addresses (default: "
					+ "localhost)")
	private @Nullable String host;

	/**
	 * Verifies the options. Called before the server starts.
	 * @throws IllegalArgumentException if the port is out of range, or a host has no port
	 */
	void verify() {
		if (this.port == null && this.host != null) {
			throw new IllegalArgumentException("--ready-host requires a port; add --ready-port <port>, or omit it");
		}
		if (this.port != null && (this.port < 0 || this.port > 65_535)) {
			throw new IllegalArgumentException("Option --ready-port is '" + this.port + "'; valid is 0 to 65535");
		}
	}

	/**
	 * Starts answering health checks.
	 * @param ready returns whether this server, or another node of its cluster, serves
	 * clients
	 * @param leading returns whether this server itself serves clients
	 * @return the health check server, {@code null} if no port is set
	 * @throws IllegalStateException if the port is not available
	 */
	@Nullable ReadyServer start(BooleanSupplier ready, BooleanSupplier leading) {
		return (this.port != null)
				? new ReadyServer((this.host != null) ? this.host : "localhost", this.port, ready, leading) : null;
	}

}
