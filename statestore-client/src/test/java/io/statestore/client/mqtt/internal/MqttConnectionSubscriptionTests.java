package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.netty.handler.codec.mqtt.MqttProperties;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.StateStoreException;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Topics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

@Timeout(30)
@Isolated("captures the log")
class MqttConnectionSubscriptionTests extends ConnectionFixture {

	@Test
	void failsToConnectIfResponseTopicIsRefused() {
		this.broker.subAckCode = 0x87;
		MqttConnection connection = connection(this.broker.options().startTimeout(Duration.ofMillis(600)));
		new Calls(connection);
		connection.start();
		assertThat(connection.isConnected()).isFalse();
		await("the failure").until(() -> this.log.contains(
				"refused to let client 'test' subscribe to '" + Topics.response("test") + "': not authorized (0x87)"));
		this.broker.subAckCode = 1;
		await("the connection").until(connection::isConnected);
	}

	@Test
	void renewsSubscriptionAddedLater() throws Exception {
		MqttConnection connection = connection();
		connection.start();
		List<String> received = new CopyOnWriteArrayList<>();
		connection.addSubscription("a/+", (message) -> received.add(message.topic())).get(10, TimeUnit.SECONDS);
		this.broker.publish("a/1", "", MqttProperties.NO_PROPERTIES);
		await("the message").until(() -> received.equals(List.of("a/1")));
		this.broker.drop();
		await("the renewed subscription").until(() -> this.broker.subscriptions.size() == 2);
		this.broker.publish("a/2", "", MqttProperties.NO_PROPERTIES);
		await("the message").until(() -> received.equals(List.of("a/1", "a/2")));
	}

	@Test
	void reportsRefusalOfSubscriptionAddedLater() {
		MqttConnection connection = connection();
		connection.start();
		this.broker.subAckCode = 0x87;
		CompletableFuture<Void> granted = connection.addSubscription("a/+", (message) -> {
		});
		assertThatThrownBy(() -> granted.get(10, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class)
			.hasCauseInstanceOf(StateStoreException.class)
			.hasMessageContaining("'a/+': not authorized");
		assertThat(connection.isConnected()).isTrue();
	}

	@Test
	void lossDuringSubscriptionIsNoRefusal() throws Exception {
		MqttConnection connection = connection();
		connection.start();
		this.broker.onSubscribe = (filter) -> -1;
		List<String> received = new CopyOnWriteArrayList<>();
		CompletableFuture<Void> granted = connection.addSubscription("a/+", (message) -> received.add(message.topic()));
		await("SUBSCRIBE").until(() -> this.broker.subscriptions.size() == 1);
		this.broker.onSubscribe = (filter) -> 1;
		this.broker.drop();
		granted.get(10, TimeUnit.SECONDS);
		this.broker.publish("a/1", "", MqttProperties.NO_PROPERTIES);
		await("the message").until(() -> received.equals(List.of("a/1")));
	}

	@Test
	void repeatsUnansweredSubscription() throws Exception {
		MqttConnection connection = connection(this.broker.options().requestTimeout(Duration.ofMillis(100)));
		connection.start();
		this.broker.onSubscribe = (filter) -> -1;
		CompletableFuture<Void> granted = connection.addSubscription("a/+", (message) -> {
		});
		await("three SUBSCRIBEs").until(() -> this.broker.subscriptions.size() >= 3);
		assertThat(granted).isNotDone();
		this.broker.onSubscribe = (filter) -> 1;
		granted.get(10, TimeUnit.SECONDS);
		assertThat(this.broker.subscriptions).containsOnly("a/+");
		assertThat(this.broker.connects).hasSize(1);
		assertThat(this.log.contains("has not answered the subscription to 'a/+'")).isTrue();
	}

	@Test
	void requestsRefusedSubscriptionAfterReconnect() throws Exception {
		this.broker.onSubscribe = (filter) -> filter.equals("a/+") ? 0x87 : 1;
		MqttConnection connection = connection();
		Calls calls = new Calls(connection);
		List<String> received = new CopyOnWriteArrayList<>();
		CompletableFuture<Void> granted = connection.addSubscription("a/+", (message) -> received.add(message.topic()));
		connection.start();
		assertThatThrownBy(() -> granted.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(StateStoreException.class)
			.hasMessageContaining("'a/+': not authorized");
		assertThat(this.log.contains("'a/+': not authorized")).isTrue();
		calls.invoke(new Command.Get(Bytes.of("k")), Options.DEFAULT).get(10, TimeUnit.SECONDS);
		assertThat(this.broker.connects).hasSize(1);
		this.broker.onSubscribe = (filter) -> 1;
		this.broker.drop();
		await("the next connection").until(() -> this.broker.subscriptions.size() == 4);
		this.broker.publish("a/1", "", MqttProperties.NO_PROPERTIES);
		await("the message").until(() -> received.equals(List.of("a/1")));
	}

	@Test
	void rejectsInvalidTopicFilter() {
		MqttConnection connection = connection();
		assertThatThrownBy(() -> connection.addSubscription("a/#/b", (message) -> {
		})).isInstanceOf(IllegalArgumentException.class)
			.hasMessageContaining("'a/#/b' is not an MQTT topic filter: '#' must be the last level");
	}

	@Test
	void grantsSubscriptionAddedBeforeConnection() throws Exception {
		MqttConnection connection = connection();
		CompletableFuture<Void> granted = connection.addSubscription("a/+", (message) -> {
		});
		assertThat(granted).isNotDone();
		connection.start();
		granted.get(10, TimeUnit.SECONDS);
	}

	@Test
	void keepsConnectionIfSinkFails() {
		MqttConnection connection = connection();
		List<String> received = new CopyOnWriteArrayList<>();
		connection.addSubscription("a/+", (message) -> {
			received.add(message.topic());
			throw new AssertionError("sink");
		});
		connection.start();
		this.broker.publish("a/1", "", MqttProperties.NO_PROPERTIES);
		this.broker.publish("a/2", "", MqttProperties.NO_PROPERTIES);
		await("both messages").until(() -> received.size() == 2);
		assertThat(this.broker.connects).hasSize(1);
	}

}
