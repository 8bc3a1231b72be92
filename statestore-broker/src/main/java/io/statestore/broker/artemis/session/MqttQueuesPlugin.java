package io.statestore.broker.artemis.session;

import java.util.function.Predicate;

import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.impl.ActiveMQServerImpl;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerBasePlugin;
import org.jspecify.annotations.Nullable;

/**
 * Plugin that replaces the queue factory of Artemis before it loads its queues from the
 * disk.
 */
final class MqttQueuesPlugin implements ActiveMQServerBasePlugin {

	private final ActiveMQServerImpl server;

	private final OrphanedQueues orphans;

	private final Predicate<String> storedSessions;

	/** Replacements of retained messages, {@code null} if these are not stored. */
	private final @Nullable RetainedReplacements replacements;

	private @Nullable MqttQueues factory;

	/**
	 * Creates a plugin.
	 * @param server the Artemis server
	 * @param orphans removes queues of shared subscriptions
	 * @param storedSessions returns whether the session of a client, by its id in
	 * Artemis, is stored
	 * @param replacements replacements of retained messages, or {@code null} if these are
	 * not stored
	 */
	MqttQueuesPlugin(ActiveMQServerImpl server, OrphanedQueues orphans, Predicate<String> storedSessions,
			@Nullable RetainedReplacements replacements) {
		this.server = server;
		this.orphans = orphans;
		this.storedSessions = storedSessions;
		this.replacements = replacements;
	}

	/** Called when the plugin is added, and again when the parts of Artemis exist. */
	@Override
	public void registered(ActiveMQServer server) {
		if (server.getPostOffice() != null && this.factory == null) {
			this.factory = new MqttQueues(server, this.orphans, this.storedSessions, this.replacements);
			this.server.replaceQueueFactory(this.factory);
		}
	}

	/** Handles the end of the recovery. */
	void recovered() {
		if (this.factory == null) {
			throw new IllegalStateException("The queue factory of Artemis was not replaced");
		}
		this.factory.recovered();
	}

}
