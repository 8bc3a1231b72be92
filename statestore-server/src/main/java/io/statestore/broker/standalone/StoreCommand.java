package io.statestore.broker.standalone;

import java.io.IOException;
import java.nio.file.Path;

import picocli.CommandLine.Option;

/** Command that works on a store's directory and then ends. */
abstract class StoreCommand extends ServerCommand {

	@Option(names = "--data-directory", paramLabel = "<directory>", required = true, description = "Store directory")
	@SuppressWarnings("NullAway.Init")
	private Path data;

	@Override
	final int run() throws IOException {
		return run(absolute(this.data));
	}

	/**
	 * Runs the command.
	 * @param directory absolute path of the store's directory
	 * @return the exit code
	 * @throws IOException if a file cannot be read or written
	 */
	abstract int run(Path directory) throws IOException;

	@Override
	final String describe(IOException failure) {
		return "Directory " + absolute(this.data) + " cannot be used: " + failure
				+ ". Check the path, the permissions of this user, and the disk";
	}

	static Path absolute(Path path) {
		return path.toAbsolutePath().normalize();
	}

}
