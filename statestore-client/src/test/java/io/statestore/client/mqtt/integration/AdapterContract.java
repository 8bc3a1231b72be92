package io.statestore.client.mqtt.integration;

import java.lang.Thread.State;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.internal.Link;
import org.eclipse.paho.mqttv5.client.IMqttAsyncClient;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.integration.mqtt.inbound.Mqttv5PahoMessageDrivenChannelAdapter;
import org.springframework.integration.mqtt.outbound.Mqttv5PahoMessageHandler;
import org.springframework.integration.mqtt.support.MqttHeaders;
import org.springframework.messaging.Message;
import org.springframework.messaging.support.GenericMessage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Adapters on a {@link StateStoreClientManager}, with a real broker. */
@Timeout(60)
abstract class AdapterContract {

	final AdapterWorld world = new AdapterWorld();

	private final List<String> received = new CopyOnWriteArrayList<>();

	@AfterEach
	void closeAdapters() {
		this.world.close();
	}

	/** Returns options to connect to the broker with. */
	abstract ConnectionOptions.Builder options();

	/** Ends the broker and starts it again on the same port, without its sessions. */
	abstract void restartBroker() throws Exception;

	private StateStoreClientManager manager(String clientId) {
		return this.world.manager(withClientId(clientId));
	}

	private StateStoreClientManager manualManager(String clientId) {
		return this.world.manualManager(withClientId(clientId));
	}

	private ConnectionOptions.Builder withClientId(String clientId) {
		return options().clientId(clientId).reconnectDelay(Duration.ofMillis(20), Duration.ofMillis(200));
	}

	private void record(Message<?> message) {
		this.received.add(AdapterWorld.text(message));
	}

	private IMqttAsyncClient publisher() {
		IMqttAsyncClient publisher = manager("publisher").getClient();
		await("the publisher").until(publisher::isConnected);
		return publisher;
	}

	private static void publish(IMqttAsyncClient client, String topic, int from, int to) throws MqttException {
		for (int i = from; i < to; i++) {
			client.publish(topic, Integer.toString(i).getBytes(StandardCharsets.UTF_8), 1, false)
				.waitForCompletion(10_000);
		}
	}

	private static void drop(StateStoreClientManager manager) {
		Link link = Objects.requireNonNull(manager.connection().link());
		link.abort("test");
		await("the loss").until(() -> manager.connection().link() != link);
	}

	private static List<String> numbers(int from, int to) {
		return IntStream.range(from, to).mapToObj(Integer::toString).toList();
	}

	private void awaitReceived(int count) {
		await(count + " messages").until(() -> this.received.size() >= count);
	}

	@Test
	void redeliversUnacknowledgedMessagesOnly() throws Exception {
		List<Message<?>> messages = new CopyOnWriteArrayList<>();
		StateStoreClientManager manager = manualManager("manual");
		Mqttv5PahoMessageDrivenChannelAdapter inbound = this.world.subscribe(manager, messages::add,
				new MqttSubscription("in/#", 1));
		IMqttAsyncClient publisher = publisher();
		publish(publisher, "in/a", 0, 4);
		await("all messages").until(() -> messages.size() == 4);
		List<Message<?>> first = List.copyOf(messages);
		AdapterWorld.acknowledgment(first.get(0)).acknowledge();
		AdapterWorld.acknowledgment(first.get(1)).acknowledge();
		// Only a round trip after them shows that the broker has the acknowledgments.
		manager.getClient().publish("other", new byte[0], 1, false).waitForCompletion(10_000);
		messages.clear();
		drop(manager);
		this.world.awaitSubscriptions(inbound, 2);
		await("the others").until(() -> messages.size() == 2);
		assertThat(messages).extracting(AdapterWorld::text).containsExactly("2", "3");
		AdapterWorld.acknowledgment(first.get(2)).acknowledge();
		messages.forEach((message) -> AdapterWorld.acknowledgment(message).acknowledge());
		publish(publisher, "in/a", 4, 5);
		await("the next message").until(() -> messages.size() == 3);
		assertThat(AdapterWorld.text(messages.get(2))).isEqualTo("4");
	}

	@Test
	void ignoresAcknowledgmentOfEndedConnection() throws Exception {
		List<Message<?>> messages = new CopyOnWriteArrayList<>();
		StateStoreClientManager manager = manualManager("manual");
		Mqttv5PahoMessageDrivenChannelAdapter inbound = this.world.subscribe(manager, messages::add,
				new MqttSubscription("in/#", 1));
		IMqttAsyncClient publisher = publisher();
		publish(publisher, "in/a", 0, 1);
		await("the message").until(() -> messages.size() == 1);
		drop(manager);
		this.world.awaitSubscriptions(inbound, 2);
		await("the message again").until(() -> messages.size() == 2);
		AdapterWorld.acknowledgment(messages.get(0)).acknowledge();
		manager.getClient().publish("other", new byte[0], 1, false).waitForCompletion(10_000);
		drop(manager);
		this.world.awaitSubscriptions(inbound, 3);
		await("the message once more").until(() -> messages.size() == 3);
		assertThat(messages).extracting(AdapterWorld::text).containsOnly("0");
	}

	@Test
	void acknowledgesManyMessagesManually() throws Exception {
		publishManyAndAcknowledgeEach();
	}

	/**
	 * Publishes more messages than the receive maximum, and acknowledges each manually.
	 * @return the maximum number of messages without acknowledgment
	 */
	final int publishManyAndAcknowledgeEach() throws Exception {
		List<Message<?>> messages = new CopyOnWriteArrayList<>();
		this.world.subscribe(manualManager("manual"), messages::add, new MqttSubscription("in/#", 1));
		IMqttAsyncClient publisher = publisher();
		for (int i = 0; i < 2000; i++) {
			publisher.publish("in/a", Integer.toString(i).getBytes(StandardCharsets.UTF_8), 1, false);
		}
		int most = 0;
		for (int acknowledged = 0; acknowledged < 2000; acknowledged++) {
			int next = acknowledged;
			if (messages.size() <= next) {
				await("message " + next).until(() -> messages.size() > next);
			}
			most = Math.max(most, messages.size() - acknowledged);
			AdapterWorld.acknowledgment(messages.get(acknowledged)).acknowledge();
		}
		assertThat(messages).extracting(AdapterWorld::text).isEqualTo(numbers(0, 2000));
		return most;
	}

	@Test
	void losesNothingWhileConnectionsBreak() throws Exception {
		StateStoreClientManager manager = manager("in");
		this.world.subscribe(manager, this::record, new MqttSubscription("in/#", 1));
		IMqttAsyncClient publisher = publisher();
		for (int round = 0; round < 5; round++) {
			publish(publisher, "in/a", round * 100, round * 100 + 50);
			drop(manager);
			publish(publisher, "in/a", round * 100 + 50, round * 100 + 100);
			await("the connection").until(manager::isConnected);
		}
		await("all messages").until(() -> this.received.contains("499"));
		assertThat(this.received).containsAll(numbers(0, 500));
	}

	@Test
	void publishesArriveWhileConnectionsBreak() throws Exception {
		StateStoreClientManager sender = manager("sender");
		this.world.subscribe(manager("in"), this::record, new MqttSubscription("out/#", 1));
		IMqttAsyncClient client = sender.getClient();
		int count = 500;
		for (int i = 0; i < count; i++) {
			if (i % 100 == 50) {
				drop(sender);
			}
			await("the connection").until(client::isConnected);
			try {
				client.publish("out/" + i, Integer.toString(i).getBytes(StandardCharsets.UTF_8), 1 + i % 2, false);
			}
			catch (MqttException ex) {
				// Not accepted, so not promised.
				i--;
			}
		}
		List<String> expected = numbers(0, count);
		await("all messages").until(() -> this.received.containsAll(expected));
		assertThat(this.received).filteredOn((text) -> Integer.parseInt(text) % 2 == 1)
			.as("messages of QoS 2")
			.doesNotHaveDuplicates();
	}

	@Test
	void blockedFlowSurvivesReconnect() throws Exception {
		CountDownLatch release = new CountDownLatch(1);
		StateStoreClientManager manager = manager("in");
		Mqttv5PahoMessageDrivenChannelAdapter inbound = this.world.subscribe(manager, (message) -> {
			record(message);
			try {
				release.await();
			}
			catch (InterruptedException ex) {
				this.received.add("interrupted");
			}
		}, new MqttSubscription("in/#", 1));
		IMqttAsyncClient publisher = publisher();
		publish(publisher, "in/a", 0, 50);
		awaitReceived(1);
		drop(manager);
		this.world.awaitSubscriptions(inbound, 2);
		publish(publisher, "in/a", 50, 100);
		release.countDown();
		await("all messages").until(() -> this.received.contains("99"));
		List<String> expected = new ArrayList<>(List.of("0"));
		expected.addAll(numbers(0, 100));
		assertThat(this.received).as("all in order, the first again").isEqualTo(expected);
	}

	@Test
	void handsOverWaitingMessagesBeforeAdapterStops() throws Exception {
		CountDownLatch release = new CountDownLatch(1);
		StateStoreClientManager manager = manager("in");
		Mqttv5PahoMessageDrivenChannelAdapter inbound = this.world.subscribe(manager, (message) -> {
			record(message);
			awaitQuietly(release);
		}, new MqttSubscription("in/#", 1));
		publish(publisher(), "in/a", 0, 50);
		awaitReceived(1);
		// Its answer arrives after the messages that the broker has sent before.
		manager.getClient().publish("other", new byte[0], 1, false).waitForCompletion(10_000);
		Thread stop = new Thread(inbound::stop);
		stop.start();
		await("the stop").until(() -> stop.getState() == State.TIMED_WAITING || !stop.isAlive());
		release.countDown();
		stop.join();
		assertThat(this.received).isEqualTo(numbers(0, 50));
	}

	@Test
	void flowStopsItsAdapter() throws Exception {
		StateStoreClientManager manager = manager("in");
		CompletableFuture<Mqttv5PahoMessageDrivenChannelAdapter> adapter = new CompletableFuture<>();
		Mqttv5PahoMessageDrivenChannelAdapter inbound = this.world.subscribe(manager, (message) -> {
			adapter.join().stop();
			record(message);
		}, new MqttSubscription("in/#", 1));
		adapter.complete(inbound);
		publish(publisher(), "in/a", 0, 1);
		awaitReceived(1);
		assertThat(inbound.isRunning()).isFalse();
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("The flow was interrupted", ex);
		}
	}

	@Test
	void continuesAfterFailedFlow() throws Exception {
		this.world.subscribe(manager("in"), (message) -> {
			record(message);
			throw new IllegalStateException("Expected");
		}, new MqttSubscription("in/#", 1));
		publish(publisher(), "in/a", 0, 3);
		awaitReceived(3);
		assertThat(this.received).isEqualTo(numbers(0, 3));
	}

	@Test
	void publishesWithEveryQos() throws Exception {
		StateStoreClientManager manager = manager("both");
		this.world.subscribe(manager, this::record, new MqttSubscription("echo/#", 1));
		for (int qos = 0; qos <= 2; qos++) {
			Mqttv5PahoMessageHandler outbound = this.world.outbound(manager, "echo/" + qos, qos);
			for (int i = 0; i < 200; i++) {
				outbound.handleMessage(new GenericMessage<>(qos + "-" + i));
			}
		}
		awaitReceived(600);
		for (int qos = 0; qos <= 2; qos++) {
			String prefix = qos + "-";
			assertThat(this.received.stream().filter((text) -> text.startsWith(prefix)).toList())
				.isEqualTo(IntStream.range(0, 200).mapToObj((i) -> prefix + i).toList());
		}
	}

	@Test
	void deliversOverlappingSubscriptionsToEach() throws Exception {
		publishToOverlappingSubscriptions();
		assertThat(this.received).contains("wide 0", "narrow 0").doesNotContain("narrow 1");
	}

	/** Publishes 0 to a wide and a narrow subscription, and 1 to the wide one. */
	final List<String> publishToOverlappingSubscriptions() throws Exception {
		StateStoreClientManager manager = manager("overlap");
		this.world.subscribe(manager, (message) -> this.received.add("wide " + AdapterWorld.text(message)),
				new MqttSubscription("in/#", 1), new MqttSubscription("in/+", 1));
		this.world.subscribe(manager, (message) -> this.received.add("narrow " + AdapterWorld.text(message)),
				new MqttSubscription("in/a", 1));
		IMqttAsyncClient publisher = publisher();
		publish(publisher, "in/a", 0, 1);
		publish(publisher, "in/b", 1, 2);
		await("the last message").until(() -> this.received.contains("wide 1"));
		return this.received;
	}

	@Test
	void honorsSubscriptionIdentifierOfUser() throws Exception {
		List<Integer> identifiers = new CopyOnWriteArrayList<>();
		IMqttAsyncClient client = manager("identified").getClient();
		await("the connection").until(client::isConnected);
		MqttProperties properties = new MqttProperties();
		properties.setSubscriptionIdentifier(77);
		client
			.subscribe(new MqttSubscription[] { new MqttSubscription("in/#", 1) }, null, null,
					(topic, message) -> identifiers.addAll(message.getProperties().getSubscriptionIdentifiers()),
					properties)
			.waitForCompletion(10_000);
		publish(publisher(), "in/a", 0, 1);
		await("the message").until(() -> !identifiers.isEmpty());
		assertThat(identifiers).containsExactly(77);
	}

	@Test
	void honorsNoLocalSharedAndRetained() throws Exception {
		StateStoreClientManager manager = manager("options");
		IMqttAsyncClient publisher = publisher();
		MqttMessage retained = new MqttMessage("retained".getBytes(StandardCharsets.UTF_8), 1, true, null);
		publisher.publish("kept/a", retained).waitForCompletion(10_000);
		MqttSubscription noLocal = new MqttSubscription("own/#", 1);
		noLocal.setNoLocal(true);
		MqttSubscription kept = new MqttSubscription("kept/#", 1);
		this.world.subscribe(manager, this::record, noLocal, new MqttSubscription("$share/group/shared/#", 1));
		this.world.subscribe(manager,
				(message) -> this.received
					.add(AdapterWorld.text(message) + ' ' + message.getHeaders().get(MqttHeaders.RECEIVED_RETAINED)),
				kept);
		await("the retained message").until(() -> this.received.contains("retained true"));
		publish(manager.getClient(), "own/a", 0, 1);
		publish(publisher, "own/a", 1, 2);
		publish(publisher, "shared/a", 2, 3);
		awaitReceived(3);
		assertThat(this.received).containsExactlyInAnyOrder("retained true", "1", "2");
	}

	@Test
	void subscribesWithQosOneAtMost() throws Exception {
		this.world.subscribe(manager("in"),
				(message) -> this.received
					.add(AdapterWorld.text(message) + ' ' + message.getHeaders().get(MqttHeaders.RECEIVED_QOS)),
				new MqttSubscription("in/#", 2));
		publisher().publish("in/a", "0".getBytes(StandardCharsets.UTF_8), 2, false).waitForCompletion(10_000);
		awaitReceived(1);
		assertThat(this.received).containsExactly("0 1");
	}

	@Test
	void survivesBrokerRestart() throws Exception {
		StateStoreClientManager manager = manager("restart");
		Mqttv5PahoMessageDrivenChannelAdapter inbound = this.world.subscribe(manager, this::record,
				new MqttSubscription("echo/#", 1));
		Mqttv5PahoMessageHandler outbound = this.world.outbound(manager, "echo/a", 1);
		outbound.handleMessage(new GenericMessage<>("before"));
		awaitReceived(1);
		restartBroker();
		long start = System.nanoTime();
		this.world.awaitSubscriptions(inbound, 2);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(8));
		outbound.handleMessage(new GenericMessage<>("after"));
		awaitReceived(2);
		assertThat(this.received).containsExactly("before", "after");
	}

}
