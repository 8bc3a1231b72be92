package io.statestore.broker.mqtt;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

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

/** The broker as we want it: MQTT only, in memory, nothing left behind. */
final class ArtemisConfiguration {

	static final String ACCEPTOR = "mqtt";

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

	static Configuration of(MqttBrokerSettings settings) throws Exception {
		Configuration configuration = new ConfigurationImpl().setName("statestore")
			.setPersistenceEnabled(false)
			.setJournalType(JournalType.NIO)
			.setMaxDiskUsage(-1)
			.setGlobalMaxSize(HeapPlan.ofThisJvm().messageMemory())
			.setSecurityEnabled(false)
			.setJMXManagementEnabled(false)
			.setMessageCounterEnabled(false)
			.setCriticalAnalyzer(false)
			.setConnectionTtlCheckInterval(500)
			// Topics of MQTT clients are addresses too: these two must not be guessed.
			.setManagementAddress(unguessable("management"))
			.setManagementNotificationAddress(unguessable("notifications"));
		configuration.setMqttSessionScanInterval(200);
		// Would keep a copy of all subscriptions, in memory.
		configuration.setMqttSubscriptionPersistenceEnabled(false);
		configuration.addAddressSetting("#",
				new AddressSettings().setInitialQueueBufferSize(QUEUE_BUFFER)
					.setAutoCreateAddresses(true)
					.setAutoDeleteAddresses(true)
					.setAutoCreateQueues(true)
					.setMaxDeliveryAttempts(-1)
					// Never bound. Without them there is a warning for every
					// subscription.
					.setDeadLetterAddress(NOWHERE)
					.setExpiryAddress(NOWHERE)
					.setMaxSizeBytes(MAX_TOPIC_BYTES)
					.setAddressFullMessagePolicy(AddressFullMessagePolicy.DROP));
		configuration.addAcceptorConfiguration(acceptor(settings));
		return configuration;
	}

	private static SimpleString unguessable(String name) {
		return SimpleString.of("$statestore." + name + '.' + UUID.randomUUID());
	}

	private static TransportConfiguration acceptor(MqttBrokerSettings settings) {
		Map<String, Object> transport = new HashMap<>();
		transport.put(TransportConstants.PROTOCOLS_PROP_NAME, "MQTT");
		transport.put(TransportConstants.USE_EPOLL_PROP_NAME, false);
		transport.put(TransportConstants.USE_KQUEUE_PROP_NAME, false);
		transport.put(TransportConstants.QUIET_PERIOD, 0);
		transport.put(TransportConstants.SHUTDOWN_TIMEOUT, 200);
		// Whatever the name says: it does not listen itself, but takes connections over.
		transport.put(TransportConstants.HTTP_UPGRADE_ENABLED_PROP_NAME, true);
		transport.put(TransportConstants.REMOTING_THREADS_PROPNAME, 1);
		// ConnectGuard has its own.
		transport.put(TransportConstants.HANDSHAKE_TIMEOUT, 0);
		// Started by us, so that a failure reaches the caller.
		transport.put(TransportConstants.AUTO_START, false);
		Map<String, Object> mqtt = new HashMap<>();
		mqtt.put("topicAliasMaximum", 0);
		mqtt.put("maximumPacketSize", settings.maxPacketSize());
		// KeepAlive does it: Artemis compares wall times. The CONNACK is corrected.
		mqtt.put("serverKeepAlive", 0);
		return new TransportConfiguration(NettyAcceptorFactory.class.getName(), transport, ACCEPTOR, mqtt);
	}

}
