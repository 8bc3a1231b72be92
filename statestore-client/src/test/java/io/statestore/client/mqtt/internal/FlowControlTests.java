package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.netty.handler.codec.mqtt.MqttProperties;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.internal.Link.Submission;
import io.statestore.time.Activity;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Timeout(30)
class FlowControlTests {

	private final FakeBroker broker = new FakeBroker();

	private final MqttConnection connection = new MqttConnection(options());

	/** A link over which no message is sent. */
	private final Link link = new Link(Attempts.of(this.broker.options().build()), (publish) -> true);

	private ConnectionOptions options() {
		this.broker.connAck(MqttProperties.RECEIVE_MAXIMUM, 1);
		return this.broker.options().build();
	}

	@AfterEach
	void close() {
		this.link.close();
		this.connection.close();
		this.broker.close();
	}

	@Test
	void continuesAfterErrorOfPublish() {
		this.connection.start();
		AtomicInteger attempts = new AtomicInteger();
		FlowControl flow = this.connection.flow();
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> flow.submit((link) -> {
			if (attempts.incrementAndGet() == 1) {
				throw new OutOfMemoryError("test");
			}
			return null;
		}));
		AtomicBoolean sent = new AtomicBoolean();
		flow.submit((link) -> {
			sent.set(true);
			return Submission.ACCEPTED;
		});
		assertThat(sent).isTrue();
	}

	@Test
	void runsDeferredTasksAfterErrorOfOne() {
		FlowControl flow = this.connection.flow();
		AtomicBoolean run = new AtomicBoolean();
		flow.submit((link) -> {
			flow.runUnlocked(() -> {
				throw new IllegalStateException("test");
			});
			flow.runUnlocked(() -> run.set(true));
			return null;
		});
		flow.open(this.link, 10);
		assertThat(run).isTrue();
	}

	@Test
	void sendsUrgentPublishFirst() {
		FlowControl flow = this.connection.flow();
		List<String> sent = new ArrayList<>();
		flow.submit(publish("ordinary", false, 0, sent));
		flow.submit(publish("urgent", true, 0, sent));
		flow.open(this.link, 10);
		assertThat(sent).containsExactly("urgent", "ordinary");
	}

	@Test
	void reservesPartOfWindowForUrgentPublishes() {
		FlowControl flow = this.connection.flow();
		List<String> sent = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			flow.submit(publish("ordinary", false, 0, sent));
		}
		flow.open(this.link, 4);
		assertThat(sent).containsExactly("ordinary", "ordinary", "ordinary");
		flow.submit(publish("urgent", true, 0, sent));
		flow.submit(publish("late", true, 0, sent));
		assertThat(sent).containsExactly("ordinary", "ordinary", "ordinary", "urgent");
	}

	@Test
	void countsAcknowledgmentThatArrivesWhileSending() {
		FlowControl flow = this.connection.flow();
		List<String> sent = new ArrayList<>();
		flow.open(this.link, 2);
		for (int i = 0; i < 5; i++) {
			flow.submit(acknowledgedWhileSending("publish " + i, flow, sent));
		}
		assertThat(sent).hasSize(5).doesNotHaveDuplicates();
	}

	@Test
	void sendsNextAfterReplyThatArrivesWhileSending() {
		FlowControl flow = new FlowControl(new ScheduledThreadPoolExecutor(0), System::nanoTime, Activity.UNTRACKED,
				Duration.ofSeconds(30), 1);
		List<String> sent = new ArrayList<>();
		flow.submit(answeredWhileSending("first", flow, sent));
		flow.submit(answeredWhileSending("second", flow, sent));
		flow.open(this.link, 10);
		assertThat(sent).containsExactly("first", "second");
		assertThat(flow.drain()).isDone();
	}

	@Test
	void reservesNothingOfSmallWindow() {
		FlowControl flow = this.connection.flow();
		List<String> sent = new ArrayList<>();
		flow.open(this.link, 2);
		flow.submit(publish("first", false, 0, sent));
		flow.submit(publish("second", false, 0, sent));
		assertThat(sent).containsExactly("first", "second");
	}

	@Test
	void limitsBytesOfUnansweredCalls() {
		FlowControl flow = this.connection.flow();
		List<String> sent = new ArrayList<>();
		FlowControl.Outgoing large = publish("large", false, 2 * UnansweredCalls.MAX_ORDINARY_BYTES, sent);
		flow.open(this.link, 100);
		flow.submit(large);
		flow.submit(publish("small", false, 1, sent));
		flow.release(this.link, large);
		assertThat(sent).containsExactly("large");
		flow.ended(large);
		assertThat(sent).containsExactly("large", "small");
	}

	private static FlowControl.Outgoing publish(String name, boolean urgent, int size, List<String> sent) {
		return new FlowControl.Outgoing() {

			@Override
			public Submission send(Link link) {
				sent.add(name);
				return Submission.ACCEPTED;
			}

			@Override
			public boolean isUrgent() {
				return urgent;
			}

			@Override
			public int size() {
				return size;
			}

			@Override
			public boolean awaitsReply() {
				return true;
			}

		};
	}

	private static FlowControl.Outgoing acknowledgedWhileSending(String name, FlowControl flow, List<String> sent) {
		return new FlowControl.Outgoing() {

			@Override
			public Submission send(Link link) {
				sent.add(name);
				flow.release(link, this);
				return Submission.ACCEPTED;
			}

		};
	}

	private static FlowControl.Outgoing answeredWhileSending(String name, FlowControl flow, List<String> sent) {
		return new FlowControl.Outgoing() {

			@Override
			public Submission send(Link link) {
				sent.add(name);
				flow.release(link, this);
				flow.ended(this);
				return Submission.ACCEPTED;
			}

			@Override
			public boolean awaitsReply() {
				return true;
			}

		};
	}

}
