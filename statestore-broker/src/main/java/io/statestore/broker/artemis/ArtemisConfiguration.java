package io.statestore.broker.artemis;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

import io.statestore.broker.artemis.disk.MqttDirectory;
import io.statestore.broker.memory.HeapPlan;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptorFactory;
import org.apache.activemq.artemis.core.remoting.impl.netty.TransportConstants;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.settings.impl.AddressFullMessagePolicy;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of Artemis: MQTT only, without management. Without a directory, all data
 * is in memory.
 */
final class ArtemisConfiguration {

	/** Name of the acceptor for MQTT connections. */
	static final String ACCEPTOR = "mqtt";

	/** Address without queues, whose messages Artemis discards. */
	private static final SimpleString NOWHERE = SimpleString.of("$statestore.nowhere");

	/** Maximum size of messages waiting for the subscribers of one topic, in bytes. */
	private static final long MAX_TOPIC_BYTES = 64L * 1024 * 1024;

	/**
	 * Initial number of message references of a queue. Each subscription and each
	 * retained topic is a queue. The default of 8,192 takes 32 KiB of heap.
	 */
	private static final int QUEUE_BUFFER = 16;

	private ArtemisConfiguration() {
	}

	/**
	 * Creates a configuration.
	 * @param maxPacketSize maximum size of an MQTT packet in bytes
	 * @param directory directory of sessions and messages, or {@code null} to keep them
	 * in memory
	 * @return a new configuration
	 * @throws Exception if Artemis refuses the configuration
	 */
	static Configuration of(int maxPacketSize, @Nullable MqttDirectory directory) throws Exception {
		Configuration configuration = new ConfigurationImpl().setName("statestore")
			.setPersistenceEnabled(false)
			.setJournalType(JournalType.NIO)
			// A full disk must not block messages that need none. DiskState refuses the
			// rest.
			.setMaxDiskUsage(-1)
			.setGlobalMaxSize(HeapPlan.ofThisJvm().messageMemory())
			.setSecurityEnabled(false)
			.setJMXManagementEnabled(false)
			.setMessageCounterEnabled(false)
			.setCriticalAnalyzer(false)
			.setConnectionTtlCheckInterval(500)
			// Topics of clients are addresses. Clients must not guess these two.
			.setManagementAddress(unguessable("management"))
			.setManagementNotificationAddress(unguessable("notifications"));
		configuration.setMqttSessionScanInterval(200);
		// Artemis would keep a copy of all subscriptions in memory. SessionFile keeps
		// them.
		configuration.setMqttSubscriptionPersistenceEnabled(false);
		configuration.addAddressSetting("#",
				new AddressSettings().setInitialQueueBufferSize(QUEUE_BUFFER)
					.setAutoCreateAddresses(true)
					.setAutoDeleteAddresses(true)
					.setAutoCreateQueues(true)
					.setMaxDeliveryAttempts(-1)
					// Without these addresses, Artemis warns of every subscription.
					.setDeadLetterAddress(NOWHERE)
					.setExpiryAddress(NOWHERE)
					.setMaxSizeBytes(MAX_TOPIC_BYTES)
					.setAddressFullMessagePolicy(AddressFullMessagePolicy.DROP));
		configuration.addAcceptorConfiguration(acceptor(maxPacketSize));
		if (directory != null) {
			directory.configure(configuration);
		}
		return configuration;
	}

	private static SimpleString unguessable(String name) {
		return SimpleString.of("$statestore." + name + '.' + UUID.randomUUID());
	}

	private static TransportConfiguration acceptor(int maxPacketSize) {
		Map<String, Object> transport = new HashMap<>();
		transport.put(TransportConstants.PROTOCOLS_PROP_NAME, "MQTT");
		transport.put(TransportConstants.USE_EPOLL_PROP_NAME, false);
		transport.put(TransportConstants.USE_KQUEUE_PROP_NAME, false);
		transport.put(TransportConstants.QUIET_PERIOD, 0);
		transport.put(TransportConstants.SHUTDOWN_TIMEOUT, 200);
		// Despite its name, the option only disables listening. The acceptor then takes
		// over connections that the caller has accepted.
		transport.put(TransportConstants.HTTP_UPGRADE_ENABLED_PROP_NAME, true);
		transport.put(TransportConstants.REMOTING_THREADS_PROPNAME, 1);
		// The caller limits the time until the CONNECT.
		transport.put(TransportConstants.HANDSHAKE_TIMEOUT, 0);
		// ArtemisServer starts the acceptor, so that a failure reaches its caller.
		transport.put(TransportConstants.AUTO_START, false);
		Map<String, Object> mqtt = new HashMap<>();
		mqtt.put("topicAliasMaximum", 0);
		mqtt.put("maximumPacketSize", maxPacketSize);
		// The caller detects idle clients, because Artemis compares wall-clock times.
		mqtt.put("serverKeepAlive", 0);
		return new TransportConfiguration(NettyAcceptorFactory.class.getName(), transport, ACCEPTOR, mqtt);
	}

}
