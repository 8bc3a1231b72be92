package io.statestore.broker.mqtt;

import io.netty.channel.Channel;
import io.statestore.broker.artemis.ConnectionInitializer;
import io.statestore.broker.memory.ClientShare;

/** A server for ordinary messages, from its start to its end. */
interface OrdinaryServer extends OrdinaryBroker {

	/**
	 * Starts the server. After this it takes over connections.
	 * @param initializer completes the pipeline of each connection
	 */
	void start(ConnectionInitializer initializer) throws Exception;

	/**
	 * Takes over an accepted connection.
	 * @param connection the connection; called on its event loop
	 * @param memory the share of its client
	 * @throws IllegalStateException if this server is not started or is stopping
	 */
	void accept(Channel connection, ClientShare memory);

	/** Returns whether at least one MQTT client is connected. */
	boolean hasConnectedClients();

	/** Returns whether the files of messages have failed. */
	boolean hasFailedJournal();

	/** To be called before clients are disconnected for a stop. */
	void prepareStop();

	/** Stops the server when all connections have ended. */
	void stop() throws Exception;

	/** Ends the threads, after {@link #stop()}. */
	void close();

}
