package io.statestore.broker.mqtt;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.FileChecks;
import io.statestore.broker.security.PasswordFile;
import io.statestore.broker.security.PasswordHash;
import io.statestore.test.PacketType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Connections of users who are deleted from the password file. */
class DeletedUserTests extends MqttBrokerTest {

	@TempDir
	private Path directory;

	@Override
	protected MqttBrokerSettings settings() {
		write("ada", "bob");
		return super.settings()
			.withSecurity(new MqttSecurity(List.of(PasswordFile.of(file())), AnonymousAccess.LOOPBACK, null));
	}

	@Test
	void endsOnlyConnectionsOfDeletedUser() throws Exception {
		try (RawMqttConnection ada = login("ada");
				RawMqttConnection bob = login("bob");
				RawMqttConnection anonymous = client("anonymous")) {
			write("bob");
			FileChecks.run();
			assertThat(ada.receiveReason(PacketType.DISCONNECT)).isEqualTo(0x87);
			ada.assertClosed();
			bob.ping();
			anonymous.ping();
		}
	}

	private RawMqttConnection login(String user) throws Exception {
		RawMqttConnection connection = new RawMqttConnection(this.broker.port());
		assertThat(connection.connect(RawConnect.of(user).login(user, "p")).reason()).isZero();
		return connection;
	}

	private Path file() {
		return this.directory.resolve("users");
	}

	private void write(String... users) {
		try {
			Files.write(file(),
					Arrays.stream(users).map((user) -> user + ':' + PasswordHash.of("p", 1).text()).toList());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
