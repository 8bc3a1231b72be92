package io.statestore.boot.actuate;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.protocol.UserProperties;

import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;

/**
 * Contributes {@code statestore}: library version, protocol version, whether the broker
 * is embedded, and connections.
 *
 * @param connections connections by bean name
 * @param embedded whether the broker runs in this process
 */
record StateStoreInfoContributor(Map<String, StateStoreConnection> connections,
		boolean embedded) implements InfoContributor {

	@Override
	public void contribute(Info.Builder builder) {
		Map<String, Object> info = new LinkedHashMap<>();
		String version = StateStoreTemplate.class.getPackage().getImplementationVersion();
		if (version != null) {
			// There is no version if the classes are not in a JAR file.
			info.put("version", version);
		}
		info.put("protocolVersion", UserProperties.PROTOCOL_VERSION_1);
		info.put("embedded", this.embedded);
		Map<String, Object> connections = new TreeMap<>();
		this.connections.forEach((name, connection) -> connections.put(name, describe(connection)));
		info.put("connections", connections);
		builder.withDetail("statestore", info);
	}

	private static Map<String, Object> describe(StateStoreConnection connection) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("broker", connection.getUrl());
		details.put("clientId", connection.getClientId());
		return details;
	}

}
