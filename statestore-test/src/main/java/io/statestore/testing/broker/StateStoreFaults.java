package io.statestore.testing.broker;

/**
 * Faults that a test injects between the clients and the store: messages that are
 * delayed, dropped, or refused, connections that are cut, and a broker that is restarted.
 * They take effect in the broker, so they also affect clients in other processes.
 * <p>
 * {@link #clear()} ends all faults. The annotation and the extension call it before each
 * test. Safe for use by several threads.
 */
public final class StateStoreFaults {

	private final FaultyBroker broker;

	StateStoreFaults(FaultyBroker broker) {
		this.broker = broker;
	}

	/**
	 * Selects the requests of all clients, before the store executes them.
	 * @return the requests
	 */
	public MessageFaults requests() {
		return faults(MessageKind.REQUEST);
	}

	/**
	 * Selects the replies to all clients. Their requests have been executed.
	 * @return the replies
	 */
	public MessageFaults replies() {
		return faults(MessageKind.REPLY);
	}

	/**
	 * Selects the notifications to all watchers.
	 * @return the notifications
	 */
	public MessageFaults notifications() {
		return faults(MessageKind.NOTIFICATION);
	}

	private MessageFaults faults(MessageKind kind) {
		return new MessageFaults(this.broker.rules, kind);
	}

	/**
	 * Cuts all connections like a network failure, without an MQTT DISCONNECT packet.
	 * Clients can reconnect at once.
	 */
	public void cut() {
		this.broker.cut((clientId) -> true);
	}

	/**
	 * Cuts the connection of one client, like {@link #cut()}.
	 * @param clientId the MQTT client id
	 * @throws IllegalArgumentException if there is no such client; the message names
	 * those that are connected
	 */
	public void cut(String clientId) {
		if (!this.broker.cut(clientId::equals)) {
			throw new IllegalArgumentException("No client '" + clientId + "' is connected, only "
					+ this.broker.clientIds() + ". Wait until it has connected");
		}
	}

	/**
	 * Refuses new connections until {@link #acceptConnections()} or {@link #clear()}.
	 * Existing connections remain.
	 */
	public void refuseConnections() {
		this.broker.refuse(true);
	}

	/** Accepts new connections again. */
	public void acceptConnections() {
		this.broker.refuse(false);
	}

	/**
	 * Restarts the broker on the same port. The store keeps its content, as with a
	 * directory. MQTT sessions and ordinary messages are lost.
	 */
	public void restart() {
		this.broker.restart(true);
	}

	/**
	 * Restarts the broker on the same port. The store loses its content, as without a
	 * directory.
	 */
	public void restartEmpty() {
		this.broker.restart(false);
	}

	/**
	 * Stops the broker until {@link #startBroker()} or {@link #clear()}. New connections
	 * end at once. The store keeps its content, in which keys expire.
	 */
	public void stopBroker() {
		this.broker.stop();
	}

	/** Starts a stopped broker on the same port. Has no effect if the broker runs. */
	public void startBroker() {
		this.broker.start();
	}

	/**
	 * Ends all faults: messages pass, connections are accepted, and the broker runs.
	 * Messages that are delayed arrive when their delay ends.
	 */
	public void clear() {
		this.broker.rules.clear();
		acceptConnections();
		startBroker();
	}

}
