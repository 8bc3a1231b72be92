package io.statestore.broker.login;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.netty.util.concurrent.DefaultThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Threads that verify logins. Because Java cannot stop a thread whose verification takes
 * too long, the pool grows by one thread until that verification ends. Thread-safe.
 */
final class LoginThreads implements AutoCloseable {

	/** Maximum number of threads that are replaced at a time. */
	static final int MAX_REPLACED = 16;

	/**
	 * Minimum number of threads, so that one slow verification does not stop all others.
	 */
	private static final int MIN_THREADS = 2;

	private static final int MAX_THREADS = 4;

	private static final long IDLE_SECONDS = 10;

	// On larger machines, leaves half of the processors for connected clients.
	private final int size = Math.max(MIN_THREADS,
			Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors() / 2));

	private final LoginQueue queue;

	private final Consumer<PendingLogin> verification;

	/**
	 * A single waiting task is sufficient, because each task that takes a login adds
	 * another task.
	 */
	private final ThreadPoolExecutor executor = new ThreadPoolExecutor(this.size, this.size, IDLE_SECONDS,
			TimeUnit.SECONDS, new ArrayBlockingQueue<>(1), new DefaultThreadFactory("statestore-login", true),
			new ThreadPoolExecutor.DiscardPolicy());

	/** Logins being verified, except by replaced threads. */
	private final Set<PendingLogin> verifying = new HashSet<>();

	/** Logins that replaced threads are still verifying. */
	private final Set<PendingLogin> late = new HashSet<>();

	/**
	 * Creates the threads.
	 * @param queue the waiting logins
	 * @param verification verifies and answers a login. Must not throw exceptions
	 */
	LoginThreads(LoginQueue queue, Consumer<PendingLogin> verification) {
		this.queue = queue;
		this.verification = verification;
		this.executor.allowCoreThreadTimeOut(true);
	}

	/** Starts verifying a login that was added to the queue. */
	void wake() {
		this.executor.execute(this::run);
	}

	private void run() {
		PendingLogin login = next();
		if (login != null) {
			this.verification.accept(login);
			finished(login);
		}
	}

	private synchronized @Nullable PendingLogin next() {
		PendingLogin next = this.queue.poll();
		if (next != null) {
			this.verifying.add(next);
			wake();
		}
		return next;
	}

	private synchronized void finished(PendingLogin login) {
		if (!this.verifying.remove(login) && this.late.remove(login)) {
			resize();
		}
	}

	/** Returns whether a thread that was not replaced is verifying a login. */
	synchronized boolean isVerifying(PendingLogin login) {
		return this.verifying.contains(login);
	}

	/**
	 * Replaces the thread that is verifying a login, if there is one and not too many
	 * threads are replaced already.
	 * @param login the login whose verification takes too long
	 */
	synchronized void replace(PendingLogin login) {
		if (this.late.size() < MAX_REPLACED && this.verifying.remove(login)) {
			this.late.add(login);
			resize();
		}
	}

	/**
	 * Adjusts the number of threads, which starts another thread if a task is waiting.
	 */
	private void resize() {
		int threads = this.size + this.late.size();
		this.executor.setMaximumPoolSize(Math.max(threads, this.executor.getCorePoolSize()));
		this.executor.setCorePoolSize(threads);
		this.executor.setMaximumPoolSize(threads);
	}

	/** Stops the threads. Logins in progress get no result. */
	@Override
	public void close() {
		this.executor.shutdownNow();
	}

}
