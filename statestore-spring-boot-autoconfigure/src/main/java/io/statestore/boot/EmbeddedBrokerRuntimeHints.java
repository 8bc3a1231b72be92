package io.statestore.boot;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.util.ClassUtils;

/**
 * Hints for the embedded broker: private fields of Artemis that the broker reads, and
 * classes and resources that Artemis loads by name. The broker itself does not depend on
 * Spring.
 */
final class EmbeddedBrokerRuntimeHints implements RuntimeHintsRegistrar {

	private static final String ARTEMIS = "org.apache.activemq.artemis.";

	private static final String MQTT = ARTEMIS + "core.protocol.mqtt.";

	/** Generated implementations of the loggers and messages of Artemis. */
	private static final List<String> LOGGERS = List.of("logs.ActiveMQUtilBundle", "logs.ActiveMQUtilLogger",
			"logs.AuditLogger", "core.client.ActiveMQClientLogger", "core.client.ActiveMQClientMessageBundle",
			"journal.ActiveMQJournalBundle", "journal.ActiveMQJournalLogger", "core.server.ActiveMQMessageBundle",
			"core.server.ActiveMQServerLogger", "core.protocol.mqtt.MQTTBundle", "core.protocol.mqtt.MQTTLogger");

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		if (!ClassUtils.isPresent("io.statestore.broker.StateStoreBroker", classLoader)) {
			return;
		}
		registerField(hints, MQTT + "MQTTSessionState$OutboundStore", "artemisToMqttMessageMap", "mqttToServerIds",
				"dataStoreLock", "currentId");
		registerField(hints, MQTT + "MQTTStateManager", "sessionStates");
		registerField(hints, MQTT + "MQTTProtocolHandler", "session", "mqttMessageActor");
		registerField(hints, MQTT + "MQTTSession", "mqttConnectionManager", "protocolHandler");
		LOGGERS.forEach((logger) -> {
			registerConstructors(hints, ARTEMIS + logger + "_impl");
			hints.reflection().registerType(TypeReference.of(ARTEMIS + logger));
		});
		registerField(hints, ARTEMIS + "logs.AuditLogger_impl", "logger");
		hints.proxies().registerJdkProxy(Logger.class);
		registerConstructors(hints, MQTT + "MQTTProtocolManagerFactory");
		registerConstructors(hints, ARTEMIS + "core.remoting.impl.netty.NettyAcceptorFactory");
		hints.resources()
			.registerPattern("META-INF/services/org.apache.activemq.artemis.spi.core.protocol.ProtocolManagerFactory");
		hints.resources().registerPattern("activemq-version.properties");
	}

	private static void registerField(RuntimeHints hints, String type, String... names) {
		hints.reflection().registerType(TypeReference.of(type), (builder) -> {
			for (String name : names) {
				builder.withField(name);
			}
		});
	}

	private static void registerConstructors(RuntimeHints hints, String type) {
		hints.reflection().registerType(TypeReference.of(type), MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
	}

}
