package io.statestore.broker.standalone;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;

import io.statestore.broker.log.LogException;
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
		catch (LogException ex) {
			this.spec.commandLine().getErr().println(ex.getMessage());
			return this.exitCodeOfFailure;
		}
	}

	/**
	 * Runs the command.
	 * @param directory absolute path of the store
	 * @param output receives the result
	 * @return the exit code
	 * @throws LogException if the command fails. The message names the next step
	 */
	abstract int run(Path directory, PrintWriter output);

	static Path absolute(Path path) {
		return path.toAbsolutePath().normalize();
	}

}
