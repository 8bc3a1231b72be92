package io.statestore.broker.conformance;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.statestore.broker.security.PasswordHash;
import io.statestore.test.PacketType;
import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests many simultaneous logins after a restart. */
@Timeout(120)
class LoginRestartTests {

	/**
	 * Number of hash iterations. Low, so that all logins are verified in time even on a
	 * busy machine.
	 */
	private static final int ITERATIONS = 1;

	@TempDir
	private Path directory;

	@Tag("long")

	@Tag("nightly")
	@Test
	void acceptsAllUsersAfterRestart() throws Exception {
		int count = 500;
		String users = Files
			.writeString(this.directory.resolve("users"),
					IntStream.range(0, count)
						.parallel()
						.mapToObj((i) -> "user" + i)
						.map((name) -> name + ':' + PasswordHash.of("password of " + name, ITERATIONS).text() + '\n')
						.collect(Collectors.joining()))
			.toString();
		try (StandaloneProcess process = StandaloneProcess.start("--port", "0", "--users", users)) {
			verifyLogins(process.port(), count);
		}
		try (StandaloneProcess process = StandaloneProcess.start("--port", "0", "--users", users)) {
			verifyLogins(process.port(), count);
			assertThat(process.log()).doesNotContain("Refused");
		}
	}

	/**
	 * Connects all users simultaneously, and expects that logins need not be repeated.
	 */
	private static void verifyLogins(int port, int count) throws Exception {
		List<RawMqttConnection> clients = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			RawMqttConnection client = new RawMqttConnection(port);
			clients.add(client);
			client.send(TestLogins.connect("user" + i + ".c"));
		}
		for (RawMqttConnection client : clients) {
			assertThat(client.receiveReason(PacketType.CONNACK)).isZero();
		}
		for (RawMqttConnection client : clients) {
			client.close();
		}
	}

}
