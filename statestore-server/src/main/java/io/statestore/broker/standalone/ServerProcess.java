package io.statestore.broker.standalone;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

import io.statestore.broker.log.LogException;
import io.statestore.broker.server.StateStoreStatistics;
import org.slf4j.Logger;
import picocli.CommandLine.Model.CommandSpec;
import sun.misc.Signal;

/** Steps that the commands of the broker and of the gateway share. */
final class ServerProcess {

	/** Exit code after a failed start. */
	static final int NOT_STARTED = 1;

	private ServerProcess() {
	}

	/**
	 * Starts a server and runs it.
	 * @param <S> type of the server
	 * @param command the command that is executed
	 * @param starter starts the server
	 * @param running runs the started server, and returns the exit code
	 * @return the exit code
	 */
	static <S> int start(CommandSpec command, Supplier<S> starter, ToIntFunction<S> running) {
		S server;
		try {
			server = starter.get();
		}
		catch (IllegalArgumentException ex) {
			throw OptionErrors.of(command, ex);
		}
		catch (IllegalStateException | LogException ex) {
			command.commandLine().getErr().println(ex.getMessage());
			return NOT_STARTED;
		}
		catch (Error ex) {
			// Threads of the server may keep the process alive unless main exits.
			ex.printStackTrace(command.commandLine().getErr());
			return NOT_STARTED;
		}
		return running.applyAsInt(server);
	}

	/**
	 * Logs refusals of a started server, and closes the server when the JVM shuts down.
	 * After SIGTERM or SIGINT, the exit code of the process is 0.
	 * @param name name of the server in the log
	 * @param logger receives the log
	 * @param statistics returns the statistics of the server
	 * @param close closes the server
	 * @param stopped completes when the server has stopped
	 */
	static void manage(String name, Logger logger, Supplier<StateStoreStatistics> statistics, Runnable close,
			CompletableFuture<Void> stopped) {
		RefusalLog refusals = new RefusalLog(statistics, logger::info);
		refusals.start();
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			close.run();
			refusals.report();
			logger.info("{} stopped", name);
		}, "statestore-shutdown"));
		for (String signal : new String[] { "TERM", "INT" }) {
			exitNormallyAfter(signal, stopped);
		}
	}

	/**
	 * Replaces the exit code 128 + n of the JVM, which supervisors take for a failure. A
	 * failed server keeps its exit code.
	 */
	private static void exitNormallyAfter(String signal, CompletableFuture<Void> stopped) {
		try {
			Signal.handle(new Signal(signal),
					(received) -> System.exit(stopped.isCompletedExceptionally() ? StandaloneExit.FAILED : 0));
		}
		catch (IllegalArgumentException ex) {
			// The JVM was told to leave the signal alone, for example with -Xrs.
		}
	}

}
