package io.statestore.client.mqtt.integration;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Entry;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.mqtt.internal.Link;
import org.eclipse.paho.mqttv5.client.IMqttAsyncClient;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttSubscription;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.integration.mqtt.support.MqttHeaders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Flows behind inbound adapters, on a real broker. */
@Timeout(120)
@Tag("long")
@Tag("nightly")
class AdapterFlowTests {

	private final StateStoreBroker broker = StateStoreBroker.builder().start();

	private final AdapterWorld world = new AdapterWorld();

	@AfterEach
	void close() {
		this.world.close();
		this.broker.close();
	}

	private StateStoreClientManager manager(String clientId) {
		return this.world.manager(ConnectionOptions.builder()
			.host(this.broker.host())
			.port(this.broker.port())
			.clientId(clientId)
			.reconnectDelay(Duration.ofMillis(20), Duration.ofMillis(200)));
	}

	private StateStoreConnection connection() {
		StateStoreConnection connection = new StateStoreConnection(ConnectionOptions.builder()
			.host(this.broker.host())
			.port(this.broker.port())
			.startTimeout(Duration.ofSeconds(10))
			.build());
		connection.start();
		return connection;
	}

	private static void publish(IMqttAsyncClient publisher, int count) throws MqttException {
		publish(publisher, 0, count);
	}

	/** Publishes the numbers of a range, and returns the token of the last one. */
	private static IMqttToken publish(IMqttAsyncClient publisher, int first, int end) throws MqttException {
		await("the connection").until(publisher::isConnected);
		IMqttToken last = null;
		for (int i = first; i < end; i++) {
			last = publisher.publish("in/a", Integer.toString(i).getBytes(StandardCharsets.UTF_8), 1, false);
		}
		return Objects.requireNonNull(last);
	}

	@Test
	void slowFlowReceivesEveryMessage() throws Exception {
		int count = 15_000;
		AtomicInteger last = new AtomicInteger(-1);
		AtomicInteger inOrder = new AtomicInteger();
		this.world.subscribe(manager("slow"), (message) -> {
			LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
			int number = Integer.parseInt(AdapterWorld.text(message));
			inOrder.addAndGet((number == last.getAndSet(number) + 1) ? 1 : 0);
		}, new MqttSubscription("in/#", 1));
		publish(manager("publisher").getClient(), count);
		await("the last message").atMost(Duration.ofSeconds(90)).until(() -> last.get() == count - 1);
		assertThat(inOrder).hasValue(count);
	}

	@Test
	void blockedFlowReceivesEveryMessageAcrossReplacement() throws Exception {
		CountDownLatch release = new CountDownLatch(1);
		Set<String> received = ConcurrentHashMap.newKeySet();
		StateStoreClientManager manager = manager("replaced");
		IMqttAsyncClient publisher = manager("publisher").getClient();
		try {
			this.world.subscribe(manager, (message) -> {
				awaitUninterruptibly(release);
				received.add(AdapterWorld.text(message));
			}, new MqttSubscription("in/#", 1));
			publish(publisher, 0, 2000).waitForCompletion();
			Link replaced = Objects.requireNonNull(manager.connection().link());
			manager.reconnect("test");
			await("the end of the connection").until(() -> manager.connection().link() != replaced);
			publish(publisher, 2000, 2100).waitForCompletion();
			await("the next connection").until(manager::isConnected);
		}
		finally {
			release.countDown();
		}
		await("all messages").until(() -> received.size() == 2100);
	}

	/** Runs for the duration of system property {@code statestore.test.blocked-flow}. */
	@Test
	@Timeout(600)
	void locksHoldWhileFlowIsBlocked() throws Exception {
		Duration blocked = Duration.parse(System.getProperty("statestore.test.blocked-flow", "PT12S"));
		int count = 5000;
		CountDownLatch release = new CountDownLatch(1);
		AtomicInteger received = new AtomicInteger();
		StateStoreConnection connection = connection();
		StateStoreLockRegistry registry = new StateStoreLockRegistry(new StateStoreTemplate(connection),
				LockOptions.DEFAULT.withLease(Duration.ofSeconds(9)));
		List<FencedLock> locks = IntStream.range(0, 50).mapToObj((i) -> registry.obtain("lock-" + i)).toList();
		try {
			this.world.subscribe(manager("blocked"), (message) -> {
				awaitUninterruptibly(release);
				received.incrementAndGet();
			}, new MqttSubscription("in/#", 1));
			// Before the locks: on a slow machine, the burst itself delays renewals.
			publish(manager("publisher").getClient(), 0, count).waitForCompletion();
			locks.forEach(FencedLock::lock);
			long end = System.nanoTime() + blocked.toNanos();
			while (System.nanoTime() < end) {
				LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
				assertThat(locks).allMatch((lock) -> lock.heldLock().loss().isEmpty());
			}
			locks.forEach(FencedLock::unlock);
			release.countDown();
			await("all messages").until(() -> received.get() == count);
		}
		finally {
			release.countDown();
			registry.stop();
			connection.stop();
		}
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("The flow was interrupted", ex);
		}
	}

	@Test
	void subscriptionToEverythingLeavesCallsAlone() throws Exception {
		StateStoreConnection connection = connection();
		try {
			List<String> received = new CopyOnWriteArrayList<>();
			StateStoreClientManager manager = manager("everything");
			this.world.subscribe(manager,
					(message) -> received.add(message.getHeaders().get(MqttHeaders.RECEIVED_TOPIC, String.class)),
					new MqttSubscription("#", 1), new MqttSubscription("+/+", 1));
			StateStoreTemplate template = new StateStoreTemplate(connection);
			for (int i = 0; i < 100; i++) {
				template.set("key", Integer.toString(i));
			}
			assertThat(template.get("key", String.class)).map(Entry::value).contains("99");
			publish(manager.getClient(), 1);
			await("the message").until(() -> received.contains("in/a"));
		}
		finally {
			connection.stop();
		}
	}

}
