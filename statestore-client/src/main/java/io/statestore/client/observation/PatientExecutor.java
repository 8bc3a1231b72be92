package io.statestore.client.observation;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

import io.statestore.client.observation.Pace.Timer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The executor of the listeners, asked again as long as it rejects a task: what a thread
 * of the network brings must neither get stuck nor run there. Safe for use by several
 * threads.
 */
final class PatientExecutor {

	/** From a rejection to the next attempt. */
	static final Duration PAUSE = Duration.ofMillis(100);

	private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);

	private static final Logger logger = LoggerFactory.getLogger(PatientExecutor.class);

	private final AtomicBoolean warned = new AtomicBoolean();

	private final Executor executor;

	private final Timer timer;

	PatientExecutor(Executor executor, Timer timer) {
		this.executor = executor;
		this.timer = timer;
	}

	/** To run a task once, when asked for. */
	Turn turn(Runnable task) {
		return new Turn(task);
	}

	private void warn(Throwable rejection) {
		if (this.warned.compareAndSet(false, true)) {
			logger.warn(
					"The executor of listeners rejects tasks: changes come late. It is asked again every {} ms. "
							+ "Give it more threads or a longer queue, and shut it down after the KeyObservations",
					PAUSE.toMillis(), rejection);
			this.timer.schedule(BETWEEN_WARNINGS, () -> this.warned.set(false));
		}
	}

	/** One task, run at most once, however often the executor was asked to. */
	final class Turn {

		private final AtomicBoolean begun = new AtomicBoolean();

		private final Runnable task;

		private volatile boolean rejected;

		private Turn(Runnable task) {
			this.task = task;
		}

		/** Ask the executor, now and as often as it takes. */
		void ask() {
			if (this.begun.get()) {
				return;
			}
			try {
				PatientExecutor.this.executor.execute(this::run);
				this.rejected = false;
			}
			catch (RuntimeException | Error ex) {
				this.rejected = true;
				warn(ex);
				PatientExecutor.this.timer.schedule(PAUSE, this::ask);
			}
		}

		private void run() {
			if (cancel()) {
				this.task.run();
			}
		}

		/** Whether the executor has not taken it yet. */
		boolean isRejected() {
			return this.rejected;
		}

		/**
		 * Never run it.
		 * @return whether it had not begun
		 */
		boolean cancel() {
			return this.begun.compareAndSet(false, true);
		}

	}

}
