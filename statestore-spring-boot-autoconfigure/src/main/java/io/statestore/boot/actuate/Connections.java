package io.statestore.boot.actuate;

import java.util.Map;
import java.util.TreeMap;

import io.statestore.client.mqtt.MqttCommandInvoker;
import io.statestore.client.mqtt.StateStoreConnection;

import org.springframework.beans.factory.ListableBeanFactory;

/** Finds the connections of an application, including those of a second broker. */
final class Connections {

	private Connections() {
	}

	/**
	 * Returns the invoker of each connection. Finds beans that are not default
	 * candidates, too.
	 * @return invokers by the bean name of their connection, or by their own bean name if
	 * the connection is not a bean
	 */
	static Map<String, MqttCommandInvoker> of(ListableBeanFactory beanFactory) {
		Map<String, StateStoreConnection> connections = beanFactory.getBeansOfType(StateStoreConnection.class);
		Map<String, MqttCommandInvoker> invokers = new TreeMap<>();
		beanFactory.getBeansOfType(MqttCommandInvoker.class)
			.forEach((name, invoker) -> invokers.put(name(invoker.connection(), connections, name), invoker));
		return invokers;
	}

	private static String name(StateStoreConnection connection, Map<String, StateStoreConnection> connections,
			String defaultName) {
		return connections.entrySet()
			.stream()
			.filter((entry) -> entry.getValue() == connection)
			.map(Map.Entry::getKey)
			.findFirst()
			.orElse(defaultName);
	}

}
