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
 * A started broker or gateway that runs until its process ends.
 *
 * @param name the server's name in the log
 * @param statistics returns the server's statistics
 * @param close closes the server
 * @param stopped completes when the server has stopped
 * @param ready returns whether this server, or another node of its cluster, serves
 * clients
 * @param leading returns whether this server itself serves clients
 * @param messages messages to log after the start
 */
record ServerProcess(String name, Supplier<StateStoreStatistics> statistics, Runnable close,
		CompletableFuture<Void> stopped, BooleanSupplier ready, BooleanSupplier leading, List<String> messages) {

	private static final Logger logger = LoggerFactory.getLogger(ServerProcess.class);

	/**
	 * Waits until the server has stopped. Logs the server's refusals, and closes it when
	 * the JVM shuts down. After SIGTERM or SIGINT, the process's exit code is 0.
	 * @param health options for health checks
	 * @param exitCode the exit code after a normal stop
	 * @return the exit code
	 * @throws IllegalStateException if the health check port is not available
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
	 * Replaces the JVM's exit code for a signal, 128 + n, which supervisors consider a
	 * failure. A failed server keeps its exit code.
	 */
	private void exitNormallyAfter(String signal) {
		try {
			Signal.handle(new Signal(signal),
					(received) -> System.exit(this.stopped.isCompletedExceptionally() ? StandaloneExit.FAILED : 0));
		}
		catch (IllegalArgumentException ex) {
			// The JVM was told not to handle the signal, for example with -Xrs.
		}
	}

}
