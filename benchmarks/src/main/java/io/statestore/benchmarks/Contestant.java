package io.statestore.benchmarks;

/** Somebody who is measured, and holds connections until it is closed. */
public interface Contestant extends AutoCloseable {

	String name();

	/** One round. */
	double measure() throws Exception;

	@Override
	void close() throws Exception;

	/** Opens a contestant. */
	@FunctionalInterface
	interface Factory {

		Contestant open() throws Exception;

	}

}
