package io.statestore.broker.security;

import java.lang.ref.WeakReference;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Daemon thread that checks all watched files of this JVM. It ends some seconds after the
 * last of them is no longer reachable. Thread-safe.
 */
final class FileTimer {

	private static final Logger logger = LoggerFactory.getLogger(FileTimer.class);

	static final ScheduledThreadPoolExecutor executor = executor();

	private FileTimer() {
	}

	private static ScheduledThreadPoolExecutor executor() {
		ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, (task) -> {
			Thread thread = new Thread(task, "statestore-watched-files");
			thread.setDaemon(true);
			thread.setContextClassLoader(null);
			return thread;
		});
		executor.setKeepAliveTime(5, TimeUnit.SECONDS);
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

	/** Checks a file every second until it is no longer reachable. */
	static void start(WatchedFile<?> file) {
		schedule(new WeakReference<>(file));
	}

	private static void schedule(WeakReference<WatchedFile<?>> reference) {
		executor.schedule(() -> {
			WatchedFile<?> file = reference.get();
			if (file == null) {
				return;
			}
			try {
				file.check();
			}
			catch (RuntimeException | Error ex) {
				logger.error("Cannot check {}; trying again", file, ex);
			}
			finally {
				// Even if logging fails.
				schedule(reference);
			}
		}, 1, TimeUnit.SECONDS);
	}

}
