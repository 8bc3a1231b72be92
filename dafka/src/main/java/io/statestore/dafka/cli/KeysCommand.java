package io.statestore.dafka.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import io.statestore.dafka.CurveOptions;
import io.statestore.dafka.node.internal.KeyDirectory;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code dafka keys}: creates keys. */
@Command(name = "keys",
		description = "Creates keys that nodes use to encrypt their connections and to accept only known peers.")
final class KeysCommand implements Callable<Integer> {

	@Parameters(paramLabel = "<name>", arity = "1..*", description = "Node names. By default, nodes expect the name "
			+ "'" + CurveOptions.DEFAULT_TOWER + "' for the tower")
	private List<String> names = new ArrayList<>();

	@Option(names = { "-d", "--directory" }, paramLabel = "<directory>", defaultValue = ".",
			description = "Directory for the keys and the list of peers (default: the current directory)")
	private Path directory = Path.of(".");

	@Option(names = "--force", description = "Replace these nodes' existing keys")
	private boolean force;

	@Mixin
	private Messages messages = new Messages();

	private KeysCommand() {
	}

	@Override
	public Integer call() {
		KeyDirectory keys = new KeyDirectory(this.directory.normalize());
		keys.create(this.names, this.force);
		for (String name : this.names) {
			this.messages.info("Created the secret key %s", keys.secretKey(name));
		}
		this.messages.info("Added the public keys to %s", keys.peers());
		this.messages.info(
				"Next: copy each secret key only to its node, and copy %s to all nodes. Start each node with "
						+ "--curve-key <secret key> --curve-peers <list of peers>, such as:",
				keys.peers().getFileName());
		for (String name : this.names) {
			this.messages.info("  dafka %s --curve-key %s --curve-peers %s",
					name.equals(CurveOptions.DEFAULT_TOWER) ? "tower" : "store|produce|consume", keys.secretKey(name),
					keys.peers());
		}
		return ExitCode.OK;
	}

}
