package io.statestore.client.annotation;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.statestore.client.KeyChangeErrorHandler;
import io.statestore.client.KeyChangeListener;

/**
 * Threads that are calling a listener or its error handler. They must not wait for this
 * call to end. Thread-safe.
 */
final class CallingThreads {

	private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

	/** Returns whether the current thread is one of them. */
	boolean includeCurrent() {
		return this.threads.contains(Thread.currentThread());
	}

	/** Returns a listener whose calls are tracked. */
	KeyChangeListener<Object> tracking(KeyChangeListener<Object> listener) {
		return (change) -> {
			boolean outermost = this.threads.add(Thread.currentThread());
			try {
				listener.onChange(change);
			}
			finally {
				leave(outermost);
			}
		};
	}

	/** Returns an error handler whose calls are tracked. */
	KeyChangeErrorHandler tracking(KeyChangeErrorHandler errorHandler) {
		return (listenerId, change, failure) -> {
			boolean outermost = this.threads.add(Thread.currentThread());
			try {
				errorHandler.handleError(listenerId, change, failure);
			}
			finally {
				leave(outermost);
			}
		};
	}

	private void leave(boolean outermost) {
		if (outermost) {
			this.threads.remove(Thread.currentThread());
		}
	}

}
