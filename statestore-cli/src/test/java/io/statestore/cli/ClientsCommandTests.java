package io.statestore.cli;

import java.util.ArrayList;
import java.util.List;

import io.statestore.broker.StateStoreBroker;
import io.statestore.cli.Cli.Result;
import io.statestore.protocol.AdministrationAccess;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttClient;
import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Timeout(120)
class ClientsCommandTests {

	@Test
	void listsConnectedClientsWithTheirUsers() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().account("ada", "p").account("bob", "p").start();
				RawMqttConnection client = new RawMqttConnection(broker.port())) {
			assertThat(client.connect(RawConnect.of("press").login("ada", "p")).reason()).isZero();
			Cli cli = Cli.on(broker.port()).with("STATESTORE_USERNAME", "bob").with("STATESTORE_PASSWORD", "p");
			Result result = cli.run("clients", "--as", "bob", "-o", "json");
			assertThat(result.err()).isEmpty();
			assertThat(result.exitCode()).isZero();
			String rest = "\",\"address\":\"127\\.0\\.0\\.1:\\d+\",\"since\":\"\\d{4}-\\d\\d-\\d\\dT[^\"]+\"}";
			assertThat(result.out().lines()).satisfiesExactly(
					(line) -> assertThat(line).matches("\\{\"client\":\"cli-bob-[0-9a-f]{8}\",\"user\":\"bob" + rest),
					(line) -> assertThat(line).matches("\\{\"client\":\"press\",\"user\":\"ada" + rest));
		}
	}

	@Test
	void omitsDisconnectedClients() {
		try (StateStoreBroker broker = StateStoreBroker.builder().start()) {
			RawMqttClient.connect(broker.port(), "oven", true, 60).close();
			await().until(() -> !Cli.on(broker.port()).run("clients").out().contains("oven"));
			assertThat(Cli.on(broker.port()).run("clients").out()).startsWith("CLIENT").containsPattern("cli-.+ - ");
		}
	}

	@Test
	void readsAllPages() {
		List<RawMqttClient> clients = new ArrayList<>();
		try (StateStoreBroker broker = StateStoreBroker.builder().start()) {
			for (int i = 0; i < 120; i++) {
				clients.add(RawMqttClient.connect(broker.port(), "press-" + i));
			}
			assertThat(Cli.on(broker.port()).run("clients", "-o", "raw").out().lines()).hasSize(121)
				.isSorted()
				.doesNotHaveDuplicates();
			clients.forEach(RawMqttClient::close);
		}
	}

	@Test
	void refusesUserWithoutAdminPermission() {
		try (StateStoreBroker broker = StateStoreBroker.builder().administration(AdministrationAccess.OFF).start()) {
			Result result = Cli.on(broker.port()).run("clients");
			assertThat(result.exitCode()).isEqualTo(ExitCodes.REFUSED);
			assertThat(result.err()).contains("does not authorize this client");
			assertThat(result.out()).isEmpty();
		}
	}

}
