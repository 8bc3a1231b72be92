package io.statestore.dafka.cli;

import java.nio.file.Path;
import java.util.List;

import io.statestore.dafka.CurveOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Command-line options shared by towers and all other nodes. */
final class ListenArguments {

	@Spec(Spec.Target.MIXEE)
	@SuppressWarnings("NullAway.Init")
	private CommandSpec command;

	@Option(names = "--bind", paramLabel = "<host>", defaultValue = "*",
			description = "Address to listen on (default: all addresses)")
	String bind = "";

	@Option(names = "--advertised-host", paramLabel = "<host>",
			description = "Host that other nodes connect to (default for a tower: its first address; otherwise the "
					+ "address that the tower sees)")
	@Nullable String advertisedHost;

	@Option(names = "--curve-key", paramLabel = "<file>",
			description = "File with this node's secret key, created by 'dafka keys', to encrypt connections (default: "
					+ "no encryption)")
	private @Nullable Path key;

	@Option(names = "--curve-peers", paramLabel = "<file>",
			description = "File with the nodes that may connect, created by 'dafka keys'. Reloaded when it changes")
	private @Nullable Path peers;

	/**
	 * Returns the keys.
	 * @param towers names of the towers in the peers file
	 * @return the keys, or {@code null} without encryption
	 */
	@Nullable CurveOptions curve(List<String> towers) {
		if (this.key == null && this.peers == null) {
			return null;
		}
		if (this.key == null || this.peers == null) {
			throw new ParameterException(this.command.commandLine(),
					"Use --curve-key and --curve-peers together. 'dafka keys' creates both files");
		}
		return new CurveOptions(this.key, this.peers, towers);
	}

}
