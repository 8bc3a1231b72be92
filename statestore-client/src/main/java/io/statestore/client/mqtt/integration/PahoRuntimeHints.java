package io.statestore.client.mqtt.integration;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.util.ClassUtils;

/** Hints for classes and messages that Paho loads by name. */
final class PahoRuntimeHints implements RuntimeHintsRegistrar {

	private static final String CLIENT = "org.eclipse.paho.mqttv5.client.";

	private static final List<String> CLASSES = List.of(CLIENT + "logging.JSR47Logger",
			CLIENT + "internal.ResourceBundleCatalog", CLIENT + "internal.TCPNetworkModuleFactory",
			CLIENT + "internal.SSLNetworkModuleFactory", CLIENT + "websocket.WebSocketNetworkModuleFactory",
			CLIENT + "websocket.WebSocketSecureNetworkModuleFactory");

	private static final List<String> BUNDLES = List.of(CLIENT + "internal.nls.logcat",
			"org.eclipse.paho.mqttv5.common.nls.logcat", "org.eclipse.paho.mqttv5.common.nls.messages");

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		if (!ClassUtils.isPresent(CLIENT + "MqttAsyncClient", classLoader)) {
			return;
		}
		CLASSES.forEach((type) -> hints.reflection()
			.registerTypeIfPresent(classLoader, type, MemberCategory.INVOKE_DECLARED_CONSTRUCTORS));
		hints.reflection()
			.registerTypeIfPresent(classLoader, "java.util.logging.LogManager", MemberCategory.INVOKE_PUBLIC_METHODS);
		BUNDLES.forEach(hints.resources()::registerResourceBundle);
		hints.resources().registerPattern("META-INF/services/org.eclipse.paho.mqttv5.client.spi.NetworkModuleFactory");
	}

}
