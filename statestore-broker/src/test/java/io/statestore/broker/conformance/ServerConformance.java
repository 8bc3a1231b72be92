package io.statestore.broker.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import io.statestore.test.RawMqttClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;

/** Tests for one server. Each test uses new connections and keys. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(60)
abstract class ServerConformance implements ConformanceContext {

	private final List<StoreClient> clients = new ArrayList<>();

	private TestedServer server;

	abstract TestedServer start() throws Exception;

	@BeforeAll
	void startHome() throws Exception {
		this.server = start();
	}

	@AfterAll
	void stopHome() throws Exception {
		if (this.server != null) {
			this.server.close();
		}
	}

	@AfterEach
	void closeClients() {
		this.clients.forEach((client) -> client.mqtt().drop());
		this.clients.clear();
	}

	@Override
	public TestedServer server() {
		return this.server;
	}

	@Override
	public StoreClient newClient() {
		return newClient(unique("c"), true, 0);
	}

	@Override
	public StoreClient newClient(String clientId, boolean cleanStart, long sessionExpirySeconds) {
		StoreClient client = new StoreClient(clientId,
				RawMqttClient.connect(this.server.port(), clientId, cleanStart, sessionExpirySeconds));
		this.clients.add(client);
		return client;
	}

	@Override
	public String unique(String prefix) {
		return prefix + UUID.randomUUID().toString().substring(0, 8);
	}

}
