package io.statestore.client.mqtt;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.mqtt.TestedTransport.PahoOnly;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttActionListener;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The shared client where it matters what the broker says. */
@Timeout(30)
@PahoOnly
class SharedClientTests {

	private final FakeBroker broker = new FakeBroker();

	private final StateStoreConnection connection = new StateStoreConnection(this.broker.options().build());

	private final MqttCommandInvoker invoker = new MqttCommandInvoker(this.connection);

	@AfterEach
	void close() {
		this.connection.close();
		this.broker.close();
	}

	@Test
	void aRefusedSubscriptionFails() throws Exception {
		this.connection.start();
		this.broker.subAckCode = 0x87;
		try (CapturedLog log = new CapturedLog()) {
			IMqttToken token = this.connection.getClient().subscribe("a/b", 1);
			assertThatExceptionOfType(MqttException.class).isThrownBy(() -> token.waitForCompletion(5000))
				.satisfies((ex) -> assertThat(ex.getReasonCode()).isEqualTo(0x87));
			Await.until("the log",
					() -> log.contains("The broker refused the subscription to 'a/b': not authorized (0x87)"));
		}
	}

	@Test
	void aRefusedPublishFails() throws Exception {
		this.connection.start();
		this.broker.onRequest = (broker, request) -> request.ack(0x87);
		CompletableFuture<Throwable> failure = new CompletableFuture<>();
		IMqttToken token = this.connection.getClient()
			.publish("a", new MqttMessage(new byte[0]), null, new MqttActionListener() {

				@Override
				public void onSuccess(IMqttToken token) {
					failure.completeExceptionally(new AssertionError("success"));
				}

				@Override
				public void onFailure(IMqttToken token, Throwable exception) {
					failure.complete(exception);
				}

			});
		assertThatExceptionOfType(MqttException.class).isThrownBy(() -> token.waitForCompletion(5000));
		assertThat(failure.get(10, TimeUnit.SECONDS)).isInstanceOf(MqttException.class);
	}

	// Trap: waitForCompletion clears the interrupt flag.
	@Test
	void waitingKeepsTheInterruptFlag() throws Exception {
		this.connection.start();
		this.broker.onRequest = (broker, request) -> {
		};
		IMqttToken token = this.connection.getClient().publish("a", new byte[0], 1, false);
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(MqttException.class).isThrownBy(() -> token.waitForCompletion(5000));
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void publishesOfUsersAndCallsShareTheReceiveMaximum() throws Exception {
		this.broker.connAck(MqttPropertyType.RECEIVE_MAXIMUM, 1);
		this.connection.start();
		this.broker.onRequest = (broker, request) -> broker.later(() -> {
			request.ack(0);
			if (request.property(MqttPropertyType.RESPONSE_TOPIC) != null) {
				request.reply("+OK\r\n");
			}
		});
		List<CompletableFuture<?>> calls = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			calls.add(this.invoker.invoke(new Command.Del(Bytes.of("k")), Options.DEFAULT));
			this.connection.getClient().publish("user", new byte[0], i % 2, false);
		}
		CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)).get(10, TimeUnit.SECONDS);
		assertThat(this.broker.connects).hasSize(1);
		Await.until("all publishes of QoS 1", () -> this.broker.requests.size() == 75);
	}

}
