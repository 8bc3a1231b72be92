package io.statestore.client.mqtt.integration;

import java.util.List;
import java.util.Set;

import io.statestore.client.mqtt.internal.FakeBroker;
import org.eclipse.paho.mqttv5.client.IMqttAsyncClient;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.junit.jupiter.api.AfterEach;

import static org.awaitility.Awaitility.await;

/** Client managers of adapters on a fake broker. */
abstract class ClientManagerFixture {

	final Set<Thread> earlier = Thread.getAllStackTraces().keySet();

	final FakeBroker broker = new FakeBroker();

	final AdapterWorld world = new AdapterWorld();

	@AfterEach
	void close() {
		this.world.close();
		this.broker.close();
	}

	StateStoreClientManager manager() {
		return this.world.manager(this.broker.options());
	}

	IMqttAsyncClient client() {
		return connected(manager());
	}

	static IMqttAsyncClient connected(StateStoreClientManager manager) {
		IMqttAsyncClient client = manager.getClient();
		await("the connection").until(client::isConnected);
		return client;
	}

	void arrive(String topic, String payload) {
		this.broker.publish(topic, payload, io.netty.handler.codec.mqtt.MqttProperties.NO_PROPERTIES);
	}

	List<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("statestore-"))
			.filter((thread) -> !this.earlier.contains(thread))
			.toList();
	}

}
