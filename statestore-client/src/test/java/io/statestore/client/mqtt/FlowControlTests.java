package io.statestore.client.mqtt;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(30)
class FlowControlTests {

	private final FakeBroker broker = new FakeBroker();

	private final StateStoreConnection connection = new StateStoreConnection(options());

	private ConnectionOptions options() {
		this.broker.connAck(MqttPropertyType.RECEIVE_MAXIMUM, 1);
		return this.broker.options().build();
	}

	@AfterEach
	void close() {
		this.connection.stop();
		this.broker.close();
	}

	// Paho tells of the end of a publish with QoS 0 before it has counted it.
	@Test
	void whatPahoHasNoRoomForIsTriedAgainWithoutLossOfRoom() {
		this.connection.start();
		AtomicInteger attempts = new AtomicInteger();
		FlowControl flow = this.connection.flow();
		flow.submit(
				(link) -> (attempts.incrementAndGet() < 3) ? FlowControl.Outcome.NO_ROOM : FlowControl.Outcome.DROPPED);
		Await.until("another attempt", () -> attempts.get() == 3);
		AtomicBoolean sent = new AtomicBoolean();
		flow.submit((link) -> {
			sent.set(true);
			return FlowControl.Outcome.SENT;
		});
		assertThat(sent).isTrue();
	}

	@Test
	void goesOnAfterOneThatFailedWithAnError() {
		this.connection.start();
		AtomicInteger attempts = new AtomicInteger();
		FlowControl flow = this.connection.flow();
		flow.submit((link) -> switch (attempts.incrementAndGet()) {
			case 1 -> FlowControl.Outcome.NO_ROOM;
			case 2 -> throw new OutOfMemoryError("test");
			default -> FlowControl.Outcome.DROPPED;
		});
		Await.until("another attempt", () -> attempts.get() == 2);
		AtomicBoolean sent = new AtomicBoolean();
		flow.submit((link) -> {
			sent.set(true);
			return FlowControl.Outcome.SENT;
		});
		assertThat(sent).isTrue();
	}

}
