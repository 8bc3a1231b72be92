package io.statestore.broker.standalone;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** The exit code of a standalone process. */
final class StandaloneExit {

	/** An error stopped the server, which a supervisor such as systemd can restart. */
	private static final int FAILED = 3;

	private StandaloneExit() {
	}

	/**
	 * Waits until a server has stopped.
	 * @param stopped completes when it has stopped, exceptionally after an error
	 * @param exitCode the exit code after a normal stop
	 * @return the exit code of the process
	 */
	static int await(CompletableFuture<Void> stopped, int exitCode) {
		try {
			stopped.join();
			return exitCode;
		}
		catch (CompletionException ex) {
			return FAILED;
		}
	}

}
