package io.statestore.testing.broker;

/** A fault in effect. Thread-safe. */
public interface InjectedFault extends AutoCloseable {

	/**
	 * Returns how many messages this fault has affected.
	 * @return number since the fault was injected
	 */
	int hits();

	/** Ends this fault. Delayed messages still arrive when their delay ends. */
	@Override
	void close();

}
