package io.statestore.benchmarks;

import java.util.concurrent.Callable;

import org.springframework.util.function.ThrowingFunction;

/**
 * An implementation under test.
 *
 * @param name name in the report
 * @param installed whether this machine has the program that it needs. Otherwise it is
 * left out
 * @param opener connects the implementation, and returns the measurement of one round in
 * the unit of the scenario. The resources are closed after the last round
 */
record Peer(String name, boolean installed, ThrowingFunction<Resources, Callable<Double>> opener) {

	Peer(String name, ThrowingFunction<Resources, Callable<Double>> opener) {
		this(name, true, opener);
	}

	/** Returns a peer that measures one resource. */
	static <T extends AutoCloseable> Peer of(String name, Callable<? extends T> open, Measure<T> measure) {
		return new Peer(name, (resources) -> {
			T resource = resources.add(open.call());
			return () -> measure.of(resource);
		});
	}

	/** Returns a peer with the name of the server that it needs. */
	static <T extends AutoCloseable> Peer of(Server server, Callable<? extends T> open, Measure<T> measure) {
		return of(server.name(), open, measure).on(server);
	}

	/** Returns this peer for machines that have a server. */
	Peer on(Server server) {
		return new Peer(this.name, server.program() != null, this.opener);
	}

	/**
	 * Measures one round of a resource, in the unit of the scenario.
	 *
	 * @param <T> type of the resource
	 */
	@FunctionalInterface
	interface Measure<T> {

		double of(T resource) throws Exception;

	}

}
