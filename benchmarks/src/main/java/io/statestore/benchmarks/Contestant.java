package io.statestore.benchmarks;

/** An implementation under test. Holds connections until closed. */
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
