package io.statestore.sample.room;

import io.statestore.client.ClientResources;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;

/**
 * Another application that uses the line's broker, in a separate process. Arguments: the
 * port, then keys and values.
 */
final class OtherApplication {

	private OtherApplication() {
	}

	public static void main(String[] args) {
		ConnectionOptions options = ConnectionOptions.builder()
			.host("localhost")
			.port(Integer.parseInt(args[0]))
			.clientId("other")
			.build();
		try (ClientResources resources = new ClientResources();
				StateStoreConnection connection = new StateStoreConnection(options, resources)) {
			StateStoreTemplate store = new StateStoreTemplate(connection);
			connection.start();
			for (int i = 1; i < args.length; i += 2) {
				store.set(args[i], args[i + 1], (spec) -> spec.persistent());
			}
		}
	}

}
