package io.statestore.broker.artemis.session;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import io.statestore.broker.mqtt.MqttBrokerTest;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawProperty;
import io.statestore.test.RawPublish;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.postoffice.QueueBinding;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTStateManager;
import org.apache.activemq.artemis.core.server.MessageReference;
import org.apache.activemq.artemis.core.server.Queue;
import org.apache.activemq.artemis.core.server.ServerConsumer;
import org.apache.activemq.artemis.core.server.impl.QueueImpl;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerConsumerPlugin;
import org.apache.activemq.artemis.core.server.plugin.ActiveMQServerMessagePlugin;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Queues of subscriptions when a session ends while its SUBSCRIBE is executed. */
@Isolated("looks at all threads")
class SubscriptionQueueTests extends MqttBrokerTest {

	@Test
	void failedSubscribeLeavesSharedSubscription() throws Exception {
		try (RawMqttConnection member = client("member")) {
			member.subscribed("$share/g/t", 1);
			Hook hook = new Hook(() -> await().until(SubscriptionQueueTests::waitsForEndOfSubscribe));
			try (RawMqttConnection first = client("s2");
					RawMqttConnection second = new RawMqttConnection(this.broker.port())) {
				first.send(first.subscribe("$share/g/t", 1));
				hook.awaitReached();
				second.connect("s2");
				second.send(second.publish("t", 0, "x"));
				assertThat(member.receivePublish().text()).isEqualTo("x");
			}
		}
	}

	@Test
	void keepsQueueWhileSubscribeIsExecuted() throws Exception {
		OrphanedQueues orphans = orphans();
		Hook hook = new Hook(() -> {
			for (int i = 0; i < 3; i++) {
				orphans.sweep();
			}
		});
		try (RawMqttConnection client = client("s3")) {
			client.subscribed("t", 1);
			hook.awaitReached();
			client.send(client.publish("t", 0, "x"));
			assertThat(client.receivePublish().text()).isEqualTo("x");
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
					await().until(() -> isRunning("flushDelivery", (state) -> true));
				}
				catch (Exception ex) {
					throw new IllegalStateException(ex);
				}
			}
		});
		try (RawMqttConnection client = client("s4"); RawMqttConnection publisher = client("s4-publisher")) {
			client.subscribed("t", 0);
			publisher.send(publisher.publish("t", 0, "x"));
			assertThat(delivering.await(20, TimeUnit.SECONDS)).isTrue();
			client.send(client.unsubscribe("t"));
			// Artemis would wait for 30 seconds.
			assertThat(client.receivePublish().text()).isEqualTo("x");
			client.receive(PacketType.UNSUBACK);
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void sharedSubscriptionContinuesForDisconnectedMember(boolean unsubscribes) throws Exception {
		RawProperty lasting = PropertyType.SESSION_EXPIRY_INTERVAL.of(100);
		try (RawMqttConnection member = new RawMqttConnection(this.broker.port())) {
			member.connect("s5", lasting);
			member.subscribed("$share/g/t", 1);
		}
		try (RawMqttConnection other = client("s6")) {
			other.subscribed("$share/g/t", 1);
			if (unsubscribes) {
				other.unsubscribed("$share/g/t");
			}
		}
		MQTTStateManager manager = MQTTStateManager.getInstance(artemis());
		await().until(() -> !manager.getSessionStates().containsKey("s6/"));
		try (RawMqttConnection publisher = client("p");
				RawMqttConnection member = new RawMqttConnection(this.broker.port())) {
			publisher.send(publisher.publish("t", 1, "x"));
			assertThat(publisher.receiveReason(PacketType.PUBACK)).isZero();
			member.connect(RawConnect.of("s5", lasting).cleanStart(false));
			assertThat(member.receivePublish().text()).isEqualTo("x");
		}
	}

	@Test
	void removesSharedQueueAfterItsLastSubscription() throws Exception {
		try (RawMqttConnection client = client("s7")) {
			client.subscribed("$share/g/t", 1);
			client.unsubscribed("$share/g/t");
			client.send(client.publish("t", 1, "x"));
			assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
			orphans().sweepLeft();
			assertThat(artemis().locateQueue("g.t")).isNull();
			client.subscribed("$share/g/t", 1);
			client.send(client.publish("t", 0, "y"));
			assertThat(client.receivePublish().text()).isEqualTo("y");
		}
	}

	private OrphanedQueues orphans() {
		return assertThat(this.broker)
			.extracting("artemis.sessions.orphans", InstanceOfAssertFactories.type(OrphanedQueues.class))
			.actual();
	}

	@Test
	void deliversRetainedMessageWhileQueueIsBusy() throws Exception {
		CountDownLatch done = new CountDownLatch(1);
		try (RawMqttConnection publisher = client("o16"); RawMqttConnection subscriber = client("o17")) {
			retain(publisher, "first");
			Queue queue = artemis().locateQueue("$sys.mqtt.retain.kept");
			((QueueImpl) queue).getExecutor().execute(() -> awaitQuietly(done));
			retain(publisher, "second");
			subscriber.send(subscriber.subscribe("kept", 1));
			RawPacket answer = subscriber.receive();
			RawPacket message = subscriber.receive();
			if (message.type() == PacketType.SUBACK) {
				message = answer;
			}
			assertThat(((RawPublish) message).text()).isEqualTo("second");
		}
		finally {
			done.countDown();
		}
	}

	private static void retain(RawMqttConnection client, String text) throws Exception {
		client.send(retained(client, "kept", 1, text));
		assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			latch.await(1, TimeUnit.MINUTES);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void stopsEmptyingQueueThatIsUsedAgain() throws Exception {
		RawProperty lasting = PropertyType.SESSION_EXPIRY_INTERVAL.of(100);
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect("s8", lasting);
			client.subscribed("t", 1);
		}
		await().until(() -> artemis().locateQueue("s8/.t").getConsumerCount() == 0);
		try (RawMqttConnection publisher = client("p");
				RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			for (int i = 0; i < 5; i++) {
				publisher.send(publisher.publish("t", 1, String.valueOf(i)));
				assertThat(publisher.receiveReason(PacketType.PUBACK)).isZero();
			}
			AtomicInteger answers = new AtomicInteger();
			assertThat(this.broker)
				.extracting("artemis.sessions.queues", InstanceOfAssertFactories.type(ArtemisQueues.class))
				.actual()
				.empty("s8/.t", () -> answers.incrementAndGet() <= 3);
			client.connect(RawConnect.of("s8", lasting).cleanStart(false));
			for (int i = 2; i < 5; i++) {
				assertThat(client.receivePublish().text()).isEqualTo(String.valueOf(i));
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

	/**
	 * An action on the thread of Artemis that executes the next SUBSCRIBE, whose queue
	 * exists already.
	 */
	private final class Hook implements ActiveMQServerConsumerPlugin {

		private final CountDownLatch reached = new CountDownLatch(1);

		private final Action action;

		Hook(Action action) {
			this.action = action;
			artemis().registerBrokerPlugin(this);
		}

		void awaitReached() throws InterruptedException {
			assertThat(this.reached.await(20, TimeUnit.SECONDS)).isTrue();
		}

		@Override
		public void beforeCreateConsumer(long id, QueueBinding binding, SimpleString filter, boolean browseOnly,
				boolean supportLargeMessage) {
			act();
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
