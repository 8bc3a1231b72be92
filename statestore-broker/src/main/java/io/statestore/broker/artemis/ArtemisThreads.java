package io.statestore.broker.artemis;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.apache.activemq.artemis.utils.ActiveMQThreadPoolExecutor;
import org.jspecify.annotations.Nullable;

/**
 * Thread pool in which Artemis executes packets. Reports errors of its tasks, such as
 * exhausted memory. Artemis itself catches exceptions only. A client whose packet caused
 * an error would wait for an answer forever.
 */
final class ArtemisThreads extends ActiveMQThreadPoolExecutor {

	/** Prefix of the names of the threads. */
	static final String NAME = "statestore-artemis-";

	private static final long KEEP_ALIVE_SECONDS = 60;

	private static final AtomicInteger created = new AtomicInteger();

	private final Consumer<Error> failed;

	/**
	 * Creates a pool without threads.
	 * @param maxThreads maximum number of threads
	 * @param failed receives errors, on any thread
	 */
	ArtemisThreads(int maxThreads, Consumer<Error> failed) {
		super(0, maxThreads, KEEP_ALIVE_SECONDS, TimeUnit.SECONDS, (task) -> {
			Thread thread = new Thread(task, NAME + created.incrementAndGet());
			thread.setDaemon(true);
			return thread;
		});
		this.failed = failed;
	}

	@Override
	public void execute(Runnable task) {
		try {
			super.execute(task);
		}
		catch (Error ex) {
			// A thread could not be created.
			this.failed.accept(ex);
			throw ex;
		}
	}

	@Override
	protected void afterExecute(Runnable task, @Nullable Throwable failure) {
		if (failure instanceof Error error) {
			this.failed.accept(error);
		}
	}

}
