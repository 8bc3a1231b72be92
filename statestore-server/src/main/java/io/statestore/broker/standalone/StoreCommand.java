package io.statestore.broker.standalone;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;

import io.statestore.broker.log.LogException;
import io.statestore.cluster.NodeDirectoryException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Command that works on the directory of a store, and ends. */
abstract class StoreCommand implements Callable<Integer> {

	private final int exitCodeOfFailure;

	@Spec
	@SuppressWarnings("NullAway.Init")
	private CommandSpec spec;

	@Option(names = "--data", paramLabel = "<directory>", required = true, description = "Directory of the store")
	@SuppressWarnings("NullAway.Init")
	private Path data;

	StoreCommand(int exitCodeOfFailure) {
		this.exitCodeOfFailure = exitCodeOfFailure;
	}

	@Override
	public final Integer call() {
		try {
			return run(absolute(this.data), this.spec.commandLine().getOut());
		}
		catch (LogException | NodeDirectoryException ex) {
			return failure(String.valueOf(ex.getMessage()));
		}
		catch (IOException ex) {
			return failure("Directory " + absolute(this.data) + " cannot be used: " + ex
					+ ". Check the path, the permissions of this user, and the disk");
		}
	}

	private int failure(String message) {
		this.spec.commandLine().getErr().println(message);
		return this.exitCodeOfFailure;
	}

	/**
	 * Runs the command.
	 * @param directory absolute path of the store
	 * @param output receives the result
	 * @return the exit code
	 * @throws LogException if the command fails. The message names the next step
	 * @throws NodeDirectoryException if the command fails. The message names the next
	 * step
	 * @throws IOException if a file cannot be read or written
	 */
	abstract int run(Path directory, PrintWriter output) throws IOException;

	static Path absolute(Path path) {
		return path.toAbsolutePath().normalize();
	}

}
