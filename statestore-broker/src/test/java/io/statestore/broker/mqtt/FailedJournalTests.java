package io.statestore.broker.mqtt;

import java.io.IOException;
import java.nio.file.Path;

import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.statestore.broker.artemis.disk.DiskState;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.core.persistence.OperationContext;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTInterceptor;
import org.apache.activemq.artemis.core.server.ServerSession;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerMessagePlugin;
import org.apache.activemq.artemis.core.transaction.Transaction;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Messages that are being stored when the journal fails. */
class FailedJournalTests extends MqttBrokerTest {

	private static final int LARGE = 1_000_000;

	@TempDir
	Path directory;

	@Override
	protected MqttBrokerSettings settings() {
		return new MqttBrokerSettings("localhost", 0, 2 * LARGE).withStorage(StorageOptions.in(this.directory));
	}

	private void failDuringNextMessage() {
		DiskState disk = assertThat(this.broker)
			.extracting("artemis.disk", InstanceOfAssertFactories.type(DiskState.class))
			.actual();
		MQTTInterceptor failing = (packet, connection) -> {
			if (packet instanceof MqttPublishMessage) {
				disk.onIOException(new IOException("broken"), "write", null);
			}
			return true;
		};
		artemis().getRemotingService().addIncomingInterceptor(failing);
	}

	private RawMqttConnection session(boolean clean) throws Exception {
		RawMqttConnection client = new RawMqttConnection(this.broker.port());
		client.connect(RawConnect.of("s", PropertyType.SESSION_EXPIRY_INTERVAL.of(60)).cleanStart(clean));
		return client;
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2 })
	void acknowledgesNoMessageAfterFailure(int qos) throws Exception {
		try (RawMqttConnection subscriber = session(true); RawMqttConnection client = client("publisher")) {
			subscriber.subscribed("t", 1);
			failDuringNextMessage();
			client.send(client.publish("t", qos, "x"));
			client.assertClosed();
		}
		try (RawMqttConnection client = client("publisher")) {
			client.send(client.publish("t", 1, "x"));
			assertThat(client.receiveReason(PacketType.PUBACK)).isEqualTo(0x97);
		}
	}

	@Test
	void deliversNoLargeMessageThatWasNotWritten() throws Exception {
		try (RawMqttConnection subscriber = session(true); RawMqttConnection client = client("publisher")) {
			subscriber.subscribed("t", 1);
			failDuringNextMessage();
			client.send(client.publish("t", 1, "x".repeat(LARGE)));
			assertThat(client.receiveReason(PacketType.DISCONNECT)).isEqualTo(0x83);
		}
		stopBroker();
		startBroker();
		try (RawMqttConnection subscriber = session(false); RawMqttConnection client = client("publisher")) {
			client.send(client.publish("t", 1, "end"));
			assertThat(subscriber.receivePublish().payload).hasSize(3);
		}
	}

	@Test
	void endsConnectionWhoseWriteFailed() throws Exception {
		try (RawMqttConnection client = client("publisher")) {
			artemis().registerBrokerPlugin(new ActiveMQServerMessagePlugin() {
				@Override
				public void beforeSend(ServerSession session, Transaction transaction, Message message, boolean direct,
						boolean noAutoCreateQueue) {
					OperationContext context = session.getSessionContext();
					context.onError(1, "broken");
				}
			});
			client.send(client.publish("t", 1, "x"));
			client.assertClosed();
		}
	}

}
