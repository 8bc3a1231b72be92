package io.statestore.client.lock;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.watch.TestClient;

/** Store on a real socket, and processes that use its locks. */
final class LockFixture implements AutoCloseable {

	static final LockOptions OPTIONS = LockOptions.DEFAULT.withStopTimeout(Duration.ofMillis(200));

	private final Deque<AutoCloseable> closeables = new ArrayDeque<>();

	final StateStoreBroker broker = StateStoreBroker.builder().start();

	TestClient client() {
		TestClient client = new TestClient(this.broker.port()).start();
		this.closeables.push(client);
		return client;
	}

	StateStoreLockRegistry registry(TestClient client, LockOptions options) {
		StateStoreLockRegistry registry = new StateStoreLockRegistry(client.template, options);
		this.closeables.push(registry::stop);
		return registry;
	}

	/** Returns the registry of a new process. */
	StateStoreLockRegistry registry() {
		return registry(client(), OPTIONS);
	}

	/** Runs an action on a new thread. */
	static <T> CompletableFuture<T> async(Callable<T> action) {
		CompletableFuture<T> result = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				result.complete(action.call());
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		});
		thread.setDaemon(true);
		thread.start();
		return result;
	}

	@Override
	public void close() throws Exception {
		for (AutoCloseable closeable : this.closeables) {
			closeable.close();
		}
		this.broker.close();
	}

}
