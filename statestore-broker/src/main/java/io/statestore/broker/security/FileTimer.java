package io.statestore.broker.security;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

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

	/**
	 * Repeats a check until its subject is no longer reachable.
	 * @param <S> type of the subject
	 * @param subject what is checked, which the timer does not keep reachable
	 * @param check the check, which must not refer to the subject
	 * @param interval time between two checks
	 */
	static <S> void start(S subject, Consumer<? super S> check, Duration interval) {
		schedule(new WeakReference<>(subject), check, interval.toNanos());
	}

	private static <S> void schedule(WeakReference<S> subject, Consumer<? super S> check, long nanos) {
		executor.schedule(() -> {
			S checked = subject.get();
			if (checked == null) {
				return;
			}
			try {
				check.accept(checked);
			}
			catch (RuntimeException | Error ex) {
				logger.error("Cannot check {}; trying again", checked, ex);
			}
			finally {
				// Even if logging fails.
				schedule(subject, check, nanos);
			}
		}, nanos, TimeUnit.NANOSECONDS);
	}

}
