package io.statestore.benchmarks;

import java.util.concurrent.Callable;

/**
 * An implementation under test.
 *
 * @param name name in the report
 * @param opener connects the implementation
 */
record Peer(String name, Opener opener) {

	/** Returns a peer that measures one resource. */
	static <T extends AutoCloseable> Peer of(String name, Callable<T> open, Measure<T> measure) {
		return new Peer(name, (resources) -> {
			T resource = resources.add(open.call());
			return () -> measure.of(resource);
		});
	}

	/** Connects an implementation. */
	@FunctionalInterface
	interface Opener {

		/** Returns the measurement. The resources are closed after the last round. */
		Round open(Resources resources) throws Exception;

	}

	/** Measures an open implementation. */
	@FunctionalInterface
	interface Round {

		/** Runs one round, and returns its result in the unit of the scenario. */
		double measure() throws Exception;

	}

	/**
	 * Measures one round of a resource.
	 *
	 * @param <T> type of the resource
	 */
	@FunctionalInterface
	interface Measure<T> {

		double of(T resource) throws Exception;

	}

}
