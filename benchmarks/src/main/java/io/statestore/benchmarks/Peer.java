package io.statestore.benchmarks;

import java.util.concurrent.Callable;

import org.springframework.util.function.ThrowingFunction;

/**
 * An implementation under test.
 *
 * @param name name in the report
 * @param installed whether this machine has the required program; if not, the peer is
 * left out
 * @param opener connects the implementation and returns the measurement of one round, in
 * the scenario's unit. The resources are closed after the last round
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

	/** Returns a peer with the name of the server that it requires. */
	static <T extends AutoCloseable> Peer of(Server server, Callable<? extends T> open, Measure<T> measure) {
		return of(server.name(), open, measure).on(server);
	}

	/** Returns a copy of this peer that requires a server to be installed. */
	Peer on(Server server) {
		return new Peer(this.name, server.program() != null, this.opener);
	}

	/**
	 * Measures one round with a resource, in the scenario's unit.
	 *
	 * @param <T> type of the resource
	 */
	@FunctionalInterface
	interface Measure<T> {

		double of(T resource) throws Exception;

	}

}
