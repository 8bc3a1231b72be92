package io.statestore.benchmarks;

/** An implementation under test. Holds connections until closed. */
public interface Implementation extends AutoCloseable {

	/** Returns the name in the report. */
	String name();

	/** Runs one round, and returns its result in the unit of the scenario. */
	double measure() throws Exception;

	@Override
	void close() throws Exception;

	/** Factory that connects an implementation. */
	@FunctionalInterface
	interface Factory {

		Implementation open() throws Exception;

	}

}
