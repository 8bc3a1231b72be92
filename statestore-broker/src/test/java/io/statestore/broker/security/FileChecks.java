package io.statestore.broker.security;

/** Runs checks of watched files, which otherwise take place every half second. */
public final class FileChecks {

	private FileChecks() {
	}

	/** Reads all watched files that have changed. */
	public static void run() throws Exception {
		// Runs on the only thread, so that no other check takes place.
		WatchedFile.executor.submit(() -> {
			// A file that has just been modified is only read if it does not change until
			// the next check.
			runOnce();
			runOnce();
		}).get();
	}

	private static void runOnce() {
		for (Runnable check : WatchedFile.executor.getQueue().toArray(new Runnable[0])) {
			if (WatchedFile.executor.remove(check)) {
				check.run();
			}
		}
	}

}
