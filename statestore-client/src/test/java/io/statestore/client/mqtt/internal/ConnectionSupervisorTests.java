package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.statestore.client.mqtt.ConnectionOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A connection whose steps fail once, such as for want of a thread. */
@Timeout(30)
class ConnectionSupervisorTests {

	private final FakeBroker broker = new FakeBroker();

	private final Queue<String> failing = new ConcurrentLinkedQueue<>();

	private final AtomicInteger connections = new AtomicInteger();

	private final ConnectionSupervisor supervisor = new ConnectionSupervisor(this.broker.options().build(),
			new FailingEvents(), System::nanoTime, null);

	@AfterEach
	void close() {
		this.supervisor.stop();
		this.broker.close();
	}

	private void failOnce(String step) {
		if (this.failing.remove(step)) {
			throw new OutOfMemoryError("unable to create native thread");
		}
	}

	private void awaitConnections(int count) {
		await("connection " + count).until(() -> this.connections.get() == count);
	}

	@Test
	void connectsAgainAfterDisconnectFailed() {
		this.failing.add("disconnect");
		this.supervisor.start();
		awaitConnections(1);
		this.supervisor.reconnect("test");
		awaitConnections(2);
	}

	@Test
	void connectsAgainAfterNotificationFailed() {
		this.failing.add("disconnected");
		this.supervisor.start();
		awaitConnections(1);
		this.broker.send(MqttMessageBuilders.disconnect().reasonCode((byte) 0x8B).build());
		awaitConnections(2);
	}

	@Test
	void notifiesEndBeforeSuccessorBegins() {
		List<String> events = new CopyOnWriteArrayList<>();
		ConnectionOptions options = this.broker.options().build();
		ConnectionSupervisor first = new ConnectionSupervisor(options, new RecordingEvents("first", events),
				System::nanoTime, null);
		first.start();
		await("the connection").until(() -> events.contains("first connected"));
		ConnectionSupervisor second = new ConnectionSupervisor(options, new RecordingEvents("second", events),
				System::nanoTime, first);
		second.start();
		first.stop();
		await("the next connection").until(() -> events.contains("second connected"));
		second.stop();
		assertThat(events).containsExactly("first open", "first connected", "first disconnected", "first ended",
				"second open", "second connected", "second disconnected", "second ended");
	}

	private record RecordingEvents(String name, List<String> events) implements ConnectionSupervisor.Events {

		@Override
		public Link open(Link.Attempt attempt) {
			this.events.add(this.name + " open");
			return new Link(attempt, (publish) -> true);
		}

		@Override
		public CompletableFuture<Void> prepare(Link link) {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public void connected(Link link, boolean reconnect) {
			this.events.add(this.name + " connected");
		}

		@Override
		public void disconnected(String cause) {
			this.events.add(this.name + " disconnected");
		}

		@Override
		public void ended() {
			this.events.add(this.name + " ended");
		}

	}

	private final class FailingEvents implements ConnectionSupervisor.Events {

		@Override
		public Link open(Link.Attempt attempt) {
			return new Link(attempt, (publish) -> true) {
				@Override
				public void disconnect(Duration timeout, boolean endSession) throws InterruptedException {
					failOnce("disconnect");
					super.disconnect(timeout, endSession);
				}
			};
		}

		@Override
		public CompletableFuture<Void> prepare(Link link) {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public void connected(Link link, boolean reconnect) {
			ConnectionSupervisorTests.this.connections.incrementAndGet();
		}

		@Override
		public void disconnected(String cause) {
			failOnce("disconnected");
		}

	}

}
