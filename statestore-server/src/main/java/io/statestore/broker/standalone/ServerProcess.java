package io.statestore.broker.standalone;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.statestore.broker.server.StateStoreStatistics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sun.misc.Signal;

/**
 * A broker or a gateway that has started, and runs until its process ends.
 *
 * @param name name of the server in the log
 * @param statistics returns the statistics of the server
 * @param close closes the server
 * @param stopped completes when the server has stopped
 * @param ready returns whether the server serves clients, or a cluster does
 * @param leading returns whether the server serves clients itself
 * @param messages what the log says after the start
 */
record ServerProcess(String name, Supplier<StateStoreStatistics> statistics, Runnable close,
		CompletableFuture<Void> stopped, BooleanSupplier ready, BooleanSupplier leading, List<String> messages) {

	private static final Logger logger = LoggerFactory.getLogger(ServerProcess.class);

	/**
	 * Logs refusals of the server, and closes it when the JVM shuts down. After SIGTERM
	 * or SIGINT, the exit code of the process is 0.
	 * @param health options of the health checks
	 * @param exitCode the exit code after a normal stop
	 * @return the exit code
	 * @throws IllegalStateException if the port of the health checks is not available
	 */
	int run(ReadyOptions health, int exitCode) {
		ReadyServer checks;
		try {
			checks = health.start(this.ready, this.leading);
		}
		catch (IllegalStateException ex) {
			this.close.run();
			throw ex;
		}
		RefusalLog refusals = new RefusalLog(this.statistics, logger::info);
		refusals.start();
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			this.close.run();
			refusals.report();
			logger.info("{} stopped", this.name);
		}, "statestore-shutdown"));
		exitNormallyAfter("TERM");
		exitNormallyAfter("INT");
		this.messages.forEach(logger::info);
		if (checks != null) {
			logger.info("Health checks: {}", checks.url());
		}
		return StandaloneExit.await(this.stopped, exitCode);
	}

	/**
	 * Replaces the exit code 128 + n of the JVM, which supervisors take for a failure. A
	 * failed server keeps its exit code.
	 */
	private void exitNormallyAfter(String signal) {
		try {
			Signal.handle(new Signal(signal),
					(received) -> System.exit(this.stopped.isCompletedExceptionally() ? StandaloneExit.FAILED : 0));
		}
		catch (IllegalArgumentException ex) {
			// The JVM was told to leave the signal alone, for example with -Xrs.
		}
	}

}
