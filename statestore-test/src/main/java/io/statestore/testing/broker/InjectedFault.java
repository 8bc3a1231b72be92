package io.statestore.testing.broker;

/** A fault in effect. Safe for use by several threads. */
public interface InjectedFault extends AutoCloseable {

	/**
	 * Returns how many messages this fault has affected.
	 * @return the number, 0 or more
	 */
	int hits();

	/** Ends this fault. Messages that it delays arrive when their delay ends. */
	@Override
	void close();

}
