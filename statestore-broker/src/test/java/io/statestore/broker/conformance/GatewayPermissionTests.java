package io.statestore.broker.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.statestore.broker.gateway.StateStoreGateway;
import io.statestore.test.Mosquitto;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Rules on the gateway, which does not know clients' identities. */
@RequiresProgram("mosquitto")
class GatewayPermissionTests extends KeyPermissionRules {

	@TempDir
	Path directory;

	@Override
	TestedServer start() throws IOException {
		Mosquitto mosquitto = Mosquitto.start();
		Path rules = Files.writeString(Files.createTempFile("rules", ""), RULES);
		StateStoreGateway gateway = StateStoreGateway.builder()
			.host("127.0.0.1")
			.port(mosquitto.port())
			.rules(rules)
			.start();
		return new TestedServer() {

			@Override
			public int port() {
				return mosquitto.port();
			}

			@Override
			public void close() throws IOException {
				gateway.close();
				mosquitto.close();
				Files.delete(rules);
			}

		};
	}

	@Test
	void refusesRulesForSomeClients() throws IOException {
		Path rules = Files.writeString(this.directory.resolve("rules"), "users read key a");
		assertThatIllegalArgumentException().isThrownBy(() -> StateStoreGateway.builder().rules(rules))
			.withMessageContaining("rules")
			.withMessageContaining("must be a file of rules for everyone, but is " + rules + ". Cannot use")
			.withMessageContaining("line 1")
			.withMessageContaining("A gateway cannot verify who sends a request");
	}

}
