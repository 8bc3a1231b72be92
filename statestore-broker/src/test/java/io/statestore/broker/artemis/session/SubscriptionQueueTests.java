package io.statestore.broker.artemis.session;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttUnsubAckMessage;
import io.statestore.broker.mqtt.MqttBrokerTest;
import io.statestore.broker.mqtt.RawClient;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.postoffice.QueueBinding;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTStateManager;
import org.apache.activemq.artemis.core.server.MessageReference;
import org.apache.activemq.artemis.core.server.ServerConsumer;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerConsumerPlugin;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerMessagePlugin;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Queues of subscriptions when a session ends while its SUBSCRIBE is executed. */
class SubscriptionQueueTests extends MqttBrokerTest {

	@Test
	void subscribeDuringTakeoverLeavesNoQueue() throws Exception {
		Hook hook = new Hook(false, () -> await(SubscriptionQueueTests::waitsForEndOfSubscribe));
		try (RawClient first = client("s1"); RawClient second = new RawClient(this.broker.port())) {
			first.send(first.subscribe("t", 1));
			hook.awaitReached();
			second.connect("s1");
			await(() -> artemis().locateQueue("s1/.t") == null
					&& artemis().getAddressInfo(SimpleString.of("t")) == null);
			second.subscribed("t", 1);
			second.send(second.publish("t", 0, "x"));
			assertThat(RawClient.text(second.receivePublish())).isEqualTo("x");
		}
	}

	@Test
	void failedSubscribeLeavesSharedSubscription() throws Exception {
		try (RawClient member = client("member")) {
			member.subscribed("$share/g/t", 1);
			Hook hook = new Hook(true, () -> await(SubscriptionQueueTests::waitsForEndOfSubscribe));
			try (RawClient first = client("s2"); RawClient second = new RawClient(this.broker.port())) {
				first.send(first.subscribe("$share/g/t", 1));
				hook.awaitReached();
				second.connect("s2");
				second.send(second.publish("t", 0, "x"));
				assertThat(RawClient.text(member.receivePublish())).isEqualTo("x");
			}
		}
	}

	@Test
	void keepsQueueWhileSubscribeIsExecuted() throws Exception {
		OrphanedQueues orphans = orphans();
		Hook hook = new Hook(true, () -> {
			for (int i = 0; i < 3; i++) {
				orphans.sweep();
			}
		});
		try (RawClient client = client("s3")) {
			client.subscribed("t", 1);
			hook.awaitReached();
			client.send(client.publish("t", 0, "x"));
			assertThat(RawClient.text(client.receivePublish())).isEqualTo("x");
		}
	}

	@Test
	void unsubscribesWhileMessageIsDelivered() throws Exception {
		CountDownLatch delivering = new CountDownLatch(1);
		artemis().registerBrokerPlugin(new ActiveMQServerMessagePlugin() {
			@Override
			public void beforeDeliver(ServerConsumer consumer, MessageReference reference) {
				delivering.countDown();
				try {
					await(() -> isRunning("flushDelivery", (state) -> true));
				}
				catch (Exception ex) {
					throw new IllegalStateException(ex);
				}
			}
		});
		try (RawClient client = client("s4"); RawClient publisher = client("s4-publisher")) {
			client.subscribed("t", 0);
			publisher.send(publisher.publish("t", 0, "x"));
			assertThat(delivering.await(20, TimeUnit.SECONDS)).isTrue();
			client.send(MqttMessageBuilders.unsubscribe().messageId(client.nextPacketId()).addTopicFilter("t").build());
			// Artemis would wait for 30 seconds.
			assertThat(RawClient.text(client.receivePublish())).isEqualTo("x");
			client.receive(MqttUnsubAckMessage.class);
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void sharedSubscriptionContinuesForDisconnectedMember(boolean unsubscribes) throws Exception {
		MqttProperties.IntegerProperty lasting = RawClient.integer(MqttPropertyType.SESSION_EXPIRY_INTERVAL, 100);
		try (RawClient member = new RawClient(this.broker.port())) {
			member.connect("s5", lasting);
			member.subscribed("$share/g/t", 1);
		}
		try (RawClient other = client("s6")) {
			other.subscribed("$share/g/t", 1);
			if (unsubscribes) {
				other.unsubscribed("$share/g/t");
			}
		}
		MQTTStateManager manager = MQTTStateManager.getInstance(artemis());
		await(() -> !manager.getSessionStates().containsKey("s6/"));
		try (RawClient publisher = client("p"); RawClient member = new RawClient(this.broker.port())) {
			publisher.send(publisher.publish("t", 1, "x"));
			assertThat(publisher.receiveReason(MqttMessageType.PUBACK)).isZero();
			member.connect(RawClient.connectBuilder("s5", lasting).cleanSession(false).build());
			assertThat(RawClient.text(member.receivePublish())).isEqualTo("x");
		}
	}

	@Test
	void removesSharedQueueAfterItsLastSubscription() throws Exception {
		try (RawClient client = client("s7")) {
			client.subscribed("$share/g/t", 1);
			client.unsubscribed("$share/g/t");
			client.send(client.publish("t", 1, "x"));
			assertThat(client.receiveReason(MqttMessageType.PUBACK)).isZero();
			orphans().sweepLeft();
			assertThat(artemis().locateQueue("g.t")).isNull();
			client.subscribed("$share/g/t", 1);
			client.send(client.publish("t", 0, "y"));
			assertThat(RawClient.text(client.receivePublish())).isEqualTo("y");
		}
	}

	private OrphanedQueues orphans() {
		return assertThat(this.broker)
			.extracting("artemis.sessions.orphans", InstanceOfAssertFactories.type(OrphanedQueues.class))
			.actual();
	}

	@Test
	void stopsEmptyingQueueThatIsUsedAgain() throws Exception {
		MqttProperties.IntegerProperty lasting = RawClient.integer(MqttPropertyType.SESSION_EXPIRY_INTERVAL, 100);
		try (RawClient client = new RawClient(this.broker.port())) {
			client.connect("s8", lasting);
			client.subscribed("t", 1);
		}
		await(() -> artemis().locateQueue("s8/.t").getConsumerCount() == 0);
		try (RawClient publisher = client("p"); RawClient client = new RawClient(this.broker.port())) {
			for (int i = 0; i < 5; i++) {
				publisher.send(publisher.publish("t", 1, String.valueOf(i)));
				assertThat(publisher.receiveReason(MqttMessageType.PUBACK)).isZero();
			}
			AtomicInteger answers = new AtomicInteger();
			assertThat(this.broker)
				.extracting("artemis.sessions.queues", InstanceOfAssertFactories.type(ArtemisQueues.class))
				.actual()
				.empty("s8/.t", () -> answers.incrementAndGet() <= 3);
			client.connect(RawClient.connectBuilder("s8", lasting).cleanSession(false).build());
			for (int i = 2; i < 5; i++) {
				assertThat(RawClient.text(client.receivePublish())).isEqualTo(String.valueOf(i));
			}
		}
	}

	/** Returns whether a thread that ends a session waits for the end of a SUBSCRIBE. */
	private static boolean waitsForEndOfSubscribe() {
		return isRunning("clean", Thread.State.BLOCKED::equals);
	}

	private static boolean isRunning(String method, Predicate<Thread.State> state) {
		return Thread.getAllStackTraces()
			.entrySet()
			.stream()
			.anyMatch((thread) -> state.test(thread.getKey().getState())
					&& Arrays.stream(thread.getValue()).anyMatch((frame) -> frame.getMethodName().equals(method)));
	}

	private static void await(BooleanSupplier condition) throws Exception {
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
		while (!condition.getAsBoolean()) {
			assertThat(System.nanoTime()).as("Waited in vain").isLessThan(end);
			TimeUnit.MILLISECONDS.sleep(5);
		}
	}

	/**
	 * An action on the thread of Artemis that executes the next SUBSCRIBE, whose queue
	 * exists already.
	 */
	private final class Hook implements ActiveMQServerConsumerPlugin {

		private final CountDownLatch reached = new CountDownLatch(1);

		private final boolean beforeConsumer;

		private final Action action;

		Hook(boolean beforeConsumer, Action action) {
			this.beforeConsumer = beforeConsumer;
			this.action = action;
			artemis().registerBrokerPlugin(this);
		}

		void awaitReached() throws InterruptedException {
			assertThat(this.reached.await(20, TimeUnit.SECONDS)).isTrue();
		}

		@Override
		public void beforeCreateConsumer(long id, QueueBinding binding, SimpleString filter, boolean browseOnly,
				boolean supportLargeMessage) {
			if (this.beforeConsumer) {
				act();
			}
		}

		@Override
		public void afterCreateConsumer(ServerConsumer consumer) {
			if (!this.beforeConsumer) {
				act();
			}
		}

		private void act() {
			if (this.reached.getCount() == 0) {
				return;
			}
			this.reached.countDown();
			try {
				this.action.run();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	private interface Action {

		void run() throws Exception;

	}

}
