package io.statestore.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

import io.statestore.test.EnteredClasses;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Limits the number of classes on all nodes that a SET through a follower enters. */
class FollowerSetPathTests {

	@Test
	void entersFewClasses(@TempDir Path directory) throws Exception {
		Set<String> classes = EnteredClasses.of(SetProgram.class, directory.toString(),
				(thread) -> !thread.equals("statestore-sessions"));
		assertThat(classes).hasSizeLessThanOrEqualTo(175);
	}

	/** Executes a SET, after others that initialize classes. */
	static final class SetProgram {

		private SetProgram() {
		}

		public static void main(String[] arguments) throws Exception {
			// The debugger slows down the leader.
			try (BrokerCluster cluster = new BrokerCluster(Path.of(arguments[0]), Duration.ofSeconds(30));
					RawMqttConnection client = RawMqttConnection.connected(cluster.broker(cluster.follower()).port(),
							"setter")) {
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
