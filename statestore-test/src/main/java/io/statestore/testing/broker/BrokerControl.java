package io.statestore.testing.broker;

/** Starts and stops a test broker. */
interface BrokerControl {

	/** Stops the broker, which keeps the content of the store and the port. */
	void stop();

	/** Starts the broker, unless it runs. */
	void start();

	/**
	 * Restarts the broker.
	 * @param keepsContent whether the store keeps its content
	 */
	void restart(boolean keepsContent);

}
