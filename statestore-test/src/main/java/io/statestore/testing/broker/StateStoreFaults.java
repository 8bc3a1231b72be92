package io.statestore.testing.broker;

/**
 * Faults that a test injects between clients and the store: delayed, dropped, or refused
 * messages, cut connections, and broker restarts. Faults take effect in the broker, so
 * they also affect clients in other processes.
 * <p>
 * {@link #clear()} ends all faults. The {@code @EmbeddedStateStore} annotation and the
 * JUnit extension call it before each test. Thread-safe.
 */
public final class StateStoreFaults {

	private final FaultyBroker broker;

	StateStoreFaults(FaultyBroker broker) {
		this.broker = broker;
	}

	/**
	 * Selects the requests of all clients, before the store executes them.
	 * @return a selection to narrow or to inject a fault for
	 */
	public MessageFaults requests() {
		return faults(MessageKind.REQUEST);
	}

	/**
	 * Selects the replies to all clients. Their requests have been executed.
	 * @return a selection to narrow or to inject a fault for
	 */
	public MessageFaults replies() {
		return faults(MessageKind.REPLY);
	}

	/**
	 * Selects the notifications to all watchers.
	 * @return a selection to narrow or to inject a fault for
	 */
	public MessageFaults notifications() {
		return faults(MessageKind.NOTIFICATION);
	}

	private MessageFaults faults(MessageKind kind) {
		return new MessageFaults(this.broker.rules, kind);
	}

	/**
	 * Cuts all connections like a network failure, without an MQTT DISCONNECT packet.
	 * Clients can reconnect immediately.
	 */
	public void cut() {
		this.broker.cut((clientId) -> true);
	}

	/**
	 * Cuts the connection of one client, like {@link #cut()}.
	 * @param clientId MQTT client ID
	 * @throws IllegalArgumentException if there is no such client; the message names the
	 * connected clients
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
	 * Restarts the broker on the same port. The store keeps its content, as if it had a
	 * directory. MQTT sessions and ordinary messages are lost.
	 */
	public void restart() {
		this.broker.restart(true);
	}

	/**
	 * Restarts the broker on the same port. The store loses its content, as if it had no
	 * directory.
	 */
	public void restartEmpty() {
		this.broker.restart(false);
	}

	/**
	 * Stops the broker until {@link #startBroker()} or {@link #clear()}. New connections
	 * are closed immediately. The store keeps its content, but keys still expire.
	 */
	public void stopBroker() {
		this.broker.stop();
	}

	/**
	 * Starts a stopped broker on the same port. Has no effect if the broker is running.
	 */
	public void startBroker() {
		this.broker.start();
	}

	/**
	 * Ends all faults: messages pass, connections are accepted, and the broker runs.
	 * Delayed messages still arrive when their delay ends.
	 */
	public void clear() {
		this.broker.rules.clear();
		acceptConnections();
		startBroker();
	}

}
