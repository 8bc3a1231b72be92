package io.statestore.broker;

import java.nio.file.Path;
import java.util.Set;

import io.statestore.broker.storage.StorageOptions;
import io.statestore.test.EnteredClasses;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Limits the number of classes that a SET enters on its way through the broker, from its
 * PUBLISH to its PUBACK. A class that joins the path must be worth it. The limits leave
 * room for what is due at certain times and may happen meanwhile.
 */
class SetPathTests {

	@Test
	void entersFewClassesInMemory() throws Exception {
		Set<String> classes = EnteredClasses.of(SetProgram.class, "", SetPathTests::servesRequests);
		assertThat(classes).hasSizeLessThanOrEqualTo(92);
	}

	@Test
	void entersFewClassesWithDirectory(@TempDir Path directory) throws Exception {
		Set<String> classes = EnteredClasses.of(SetProgram.class, directory.resolve("store").toString(),
				SetPathTests::servesRequests);
		assertThat(classes).hasSizeLessThanOrEqualTo(114);
	}

	private static boolean servesRequests(String thread) {
		return thread.startsWith("statestore-mqtt") || thread.startsWith("statestore-log");
	}

	/** Executes a SET, after others that initialize classes. */
	static final class SetProgram {

		private SetProgram() {
		}

		public static void main(String[] arguments) throws Exception {
			StateStoreBrokerBuilder builder = StateStoreBroker.builder();
			if (arguments.length > 0) {
				builder.storage(StorageOptions.in(Path.of(arguments[0])));
			}
			try (StateStoreBroker broker = builder.start();
					RawMqttConnection client = RawMqttConnection.connected(broker.port(), "setter")) {
				client.subscribed("clients/setter/replies", 1);
				for (int i = 0; i < 3; i++) {
					set(client, i);
				}
				EnteredClasses.trace(() -> set(client, 3));
			}
			System.exit(0);
		}

		private static void set(RawMqttConnection client, int number) throws Exception {
			client.send(client.publish("statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8/command/invoke", 1,
					"*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$1\r\n" + number + "\r\n",
					PropertyType.RESPONSE_TOPIC.of("clients/setter/replies"),
					PropertyType.CORRELATION_DATA.of(new byte[] { 1, (byte) number })));
			client.acknowledge(client.receivePublish());
			client.receive(PacketType.PUBACK);
		}

	}

}
