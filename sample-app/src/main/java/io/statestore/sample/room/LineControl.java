package io.statestore.sample.room;

/**
 * Actions of the buttons. Each action leads to an event log entry. Methods with the name
 * of a press throw an {@link IllegalStateException} with a message for the user if this
 * control room did not start that press, or if its process is in another state. Methods
 * that write to the store throw a {@link io.statestore.client.StateStoreException} if it
 * is unavailable.
 */
interface LineControl {

	/** Minimum setpoint in degrees Celsius. */
	double MIN_SETPOINT = 100;

	/** Maximum setpoint in degrees Celsius. */
	double MAX_SETPOINT = 200;

	/** Returns whether processes can be paused on this machine: not on Windows. */
	boolean canPause();

	/**
	 * Stops the process with SIGSTOP, which has the effect of a long garbage collection.
	 * It continues after {@code sample.pause}, or with {@link #resume}. If the press
	 * leads, waits up to two seconds until it packs, so that it writes when it continues.
	 */
	void pause(String press);

	/** Continues a paused process with SIGCONT. */
	void resume(String press);

	/** Kills the process with SIGKILL. */
	void kill(String press);

	/** Starts the process of a press that has ended. */
	void start(String press);

	/**
	 * Interrupts the connection between the press and the broker for {@code sample.cut}.
	 */
	void cut(String press);

	/** Ends the term of the leader, as {@code statestore leader resign} does. */
	void resign();

	/**
	 * Kills the process of one of three brokers with SIGKILL.
	 * @throws IllegalStateException if it does not exist or does not run
	 */
	void killBroker(String broker);

	/**
	 * Starts the process of one of three brokers that has ended.
	 * @throws IllegalStateException if it does not exist or runs
	 */
	void startBroker(String broker);

	/**
	 * Closes the only broker, and starts it again 2 s later. Returns at once.
	 * @throws IllegalStateException if it is restarting, or there are three
	 */
	void restartBroker();

	/**
	 * Deletes a key of the store.
	 * @throws io.statestore.client.StateStoreRefusedException if the key was written
	 * under a lock
	 */
	void deleteKey(String key);

	/**
	 * Changes the setpoint.
	 * @throws IllegalArgumentException if it is out of range
	 */
	void changeSetpoint(double degrees);

}
