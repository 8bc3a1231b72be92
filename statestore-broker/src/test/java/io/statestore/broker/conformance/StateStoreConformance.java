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

/**
 * Every rule of the state store protocol that a client can see, a test each, grouped as
 * in the protocol file. One server per class of tests, new connections and keys per test.
 * <p>
 * A subclass says where the server lives.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(60)
abstract class StateStoreConformance implements TransportRules, RepetitionRules, CommandRules, SyntaxRules, ScanRules,
		VersionRules, FencingRules, NotificationRules, ObservationRules {

	private final List<StoreClient> clients = new ArrayList<>();

	private StateStoreHome home;

	abstract StateStoreHome start() throws Exception;

	@BeforeAll
	void startHome() throws Exception {
		this.home = start();
	}

	@AfterAll
	void stopHome() throws Exception {
		if (this.home != null) {
			this.home.close();
		}
	}

	@AfterEach
	void closeClients() {
		this.clients.forEach((client) -> client.mqtt().drop());
		this.clients.clear();
	}

	@Override
	public StateStoreHome home() {
		return this.home;
	}

	@Override
	public StoreClient newClient() {
		return newClient(unique("c"), true, 0);
	}

	@Override
	public StoreClient newClient(String clientId, boolean cleanStart, long sessionExpirySeconds) {
		StoreClient client = new StoreClient(clientId,
				RawMqttClient.connect(this.home.port(), clientId, cleanStart, sessionExpirySeconds));
		this.clients.add(client);
		return client;
	}

	@Override
	public String unique(String prefix) {
		return prefix + UUID.randomUUID().toString().substring(0, 8);
	}

}
