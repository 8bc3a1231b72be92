package io.statestore.broker.artemis.disk;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.statestore.broker.storage.Fsync;
import org.apache.activemq.artemis.core.io.IOCriticalErrorListener;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the directory to the disk at the start, in intervals, and at the stop. Uses a
 * thread of its own: Artemis interrupts its threads when it stops, which would close a
 * file that is being written.
 * <p>
 * Internal: not part of the API.
 */
public final class PeriodicForce {

	private static final Logger logger = LoggerFactory.getLogger(PeriodicForce.class);

	private static final long STOP_SECONDS = 30;

	private final Runnable task;

	/** The interval, {@code null} to write only at the start and at the stop. */
	private final @Nullable Duration interval;

	private final Consumer<Error> failed;

	private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor((task) -> {
		Thread thread = new Thread(task, "statestore-mqtt-force");
		thread.setDaemon(true);
		return thread;
	});

	PeriodicForce(Runnable task, @Nullable Duration interval, Consumer<Error> failed) {
		this.task = task;
		this.interval = interval;
		this.failed = failed;
	}

	/**
	 * Creates an object that is not started.
	 * @param directory the directory
	 * @param sessions the file of sessions in it
	 * @param failures receives failures of the disk
	 * @param failed receives errors such as exhausted memory
	 * @return the new object, or {@code null} if everything waits for the disk anyway
	 */
	public static @Nullable PeriodicForce of(MqttDirectory directory, SessionFile sessions,
			IOCriticalErrorListener failures, Consumer<Error> failed) {
		if (directory.forces()) {
			return null;
		}
		boolean periodic = directory.options().fsync() == Fsync.INTERVAL;
		return new PeriodicForce(new DirectoryForce(directory.path(), sessions, failures),
				periodic ? directory.options().fsyncInterval() : null, failed);
	}

	/** Writes everything, so that a power failure does not undo created files. */
	public void start() {
		this.task.run();
		if (this.interval != null) {
			this.executor.scheduleWithFixedDelay(this::run, this.interval.toNanos(), this.interval.toNanos(),
					TimeUnit.NANOSECONDS);
		}
	}

	private void run() {
		try {
			this.task.run();
		}
		catch (RuntimeException ex) {
			logger.warn("Failed to write MQTT messages to the disk; continuing", ex);
		}
		catch (Error ex) {
			this.failed.accept(ex);
		}
	}

	/** Waits for a write that has begun, and writes everything once more. */
	public void stop() {
		this.executor.execute(this::run);
		this.executor.shutdown();
		try {
			if (!this.executor.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
				logger.error("Stopping the MQTT broker before its messages are on the disk. Check the disk");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
