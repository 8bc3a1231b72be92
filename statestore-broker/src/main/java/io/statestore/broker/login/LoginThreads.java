package io.statestore.broker.login;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Threads that verify the logins of a queue. Replaces a thread whose verification takes
 * too long, so that an authenticator that hangs does not stop the other logins.
 * Thread-safe.
 */
final class LoginThreads implements AutoCloseable {

	/** Maximum number of threads that are replaced until their verification ends. */
	static final int MAX_REPLACED = 16;

	/** Minimum number of threads, so that one slow verification does not stop all. */
	private static final int MIN_THREADS = 2;

	private static final int MAX_THREADS = 4;

	private static final long IDLE_SECONDS = 10;

	// On larger machines, half of the processors remain for connected clients.
	private final int size = Math.max(MIN_THREADS,
			Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors() / 2));

	private final LoginQueue queue;

	private final Consumer<PendingLogin> verification;

	private final ThreadPoolExecutor executor = new ThreadPoolExecutor(0, Integer.MAX_VALUE, IDLE_SECONDS,
			TimeUnit.SECONDS, new SynchronousQueue<>(), (task) -> {
				Thread thread = new Thread(task, "statestore-login");
				thread.setDaemon(true);
				return thread;
			});

	/** Logins that are being verified, except by replaced threads. */
	private final Set<PendingLogin> verifying = new HashSet<>();

	/** Logins that replaced threads are still verifying. */
	private final Set<PendingLogin> late = new HashSet<>();

	/** Number of running threads, without replaced ones. */
	private int running;

	/**
	 * Creates the threads.
	 * @param queue the logins
	 * @param verification verifies and answers a login. Throws no exception
	 */
	LoginThreads(LoginQueue queue, Consumer<PendingLogin> verification) {
		this.queue = queue;
		this.verification = verification;
	}

	/** Handles a login that was added to the queue. */
	synchronized void wake() {
		if (this.running < this.size && this.queue.size() > 0) {
			try {
				this.executor.execute(this::run);
				this.running++;
			}
			catch (RejectedExecutionException ex) {
				// The broker is stopping, which ends the connection.
			}
		}
	}

	private void run() {
		for (PendingLogin login = next(null); login != null; login = next(login)) {
			this.verification.accept(login);
		}
	}

	private synchronized @Nullable PendingLogin next(@Nullable PendingLogin finished) {
		if (finished != null && !this.verifying.remove(finished) && this.late.remove(finished)) {
			this.running++;
		}
		PendingLogin next = (this.running <= this.size) ? this.queue.poll() : null;
		if (next != null) {
			this.verifying.add(next);
		}
		else {
			this.running--;
		}
		return next;
	}

	/**
	 * Replaces the thread that verifies a login, if there is one and not too many are
	 * replaced.
	 * @param login the login
	 */
	synchronized void replace(PendingLogin login) {
		if (this.late.size() < MAX_REPLACED && this.verifying.remove(login)) {
			this.late.add(login);
			this.running--;
			wake();
		}
	}

	/** Ends the threads. Logins in progress have no result. */
	@Override
	public void close() {
		this.executor.shutdownNow();
	}

}
