package io.statestore.client.annotation;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.statestore.client.KeyChangeErrorHandler;
import io.statestore.client.KeyChangeListener;

/**
 * Knows which threads are within a call of one listener or of its error handler: they
 * must not wait for that call. Safe for use by several threads.
 */
final class CallingThreads {

	private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

	/** Whether this very code was called by the listener. */
	boolean includeCurrent() {
		return this.threads.contains(Thread.currentThread());
	}

	KeyChangeListener<Object> tracking(KeyChangeListener<Object> listener) {
		return (change) -> {
			boolean outermost = enter();
			try {
				listener.onChange(change);
			}
			finally {
				leave(outermost);
			}
		};
	}

	KeyChangeErrorHandler tracking(KeyChangeErrorHandler errorHandler) {
		return (listenerId, change, failure) -> {
			boolean outermost = enter();
			try {
				errorHandler.handleError(listenerId, change, failure);
			}
			finally {
				leave(outermost);
			}
		};
	}

	private boolean enter() {
		return this.threads.add(Thread.currentThread());
	}

	private void leave(boolean outermost) {
		if (outermost) {
			this.threads.remove(Thread.currentThread());
		}
	}

}
