package io.statestore.benchmarks;

import java.util.ArrayDeque;
import java.util.Deque;

/** Resources that are closed together, the most recently added first. */
final class Resources implements AutoCloseable {

	private final Deque<AutoCloseable> open = new ArrayDeque<>();

	<T extends AutoCloseable> T add(T resource) {
		this.open.push(resource);
		return resource;
	}

	@Override
	public void close() throws Exception {
		while (!this.open.isEmpty()) {
			this.open.pop().close();
		}
	}

}
