package io.statestore.broker.security;

/** Checks of watched files, which otherwise take place every second. */
public final class FileChecks {

	private FileChecks() {
	}

	/** Reads all watched files that have changed. */
	public static void run() throws Exception {
		// On the only thread, so that no other check takes place.
		WatchedFile.executor.submit(() -> {
			// A file that has just been modified is read if it does not change.
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
