package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicLong;

import ch.qos.logback.classic.Level;
import io.netty.buffer.ByteBuf;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.mqtt.internal.Link.Submission;
import io.statestore.test.CapturedLog;
import io.statestore.time.Activity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Connections on which the broker acknowledges publishes late or not at all. */
@Timeout(30)
@Isolated("captures the log")
class CallsAcknowledgmentTests extends CallsFixture {

	@Test
	void reconnectsIfBrokerDoesNotAcknowledge() throws Exception {
		start(this.broker.options().maxInFlight(1).keepAlive(Duration.ofSeconds(30)).build());
		this.broker.onRequest = (broker, request) -> request.reply("+OK\r\n");
		get(invoke(SET));
		CompletableFuture<Response> waiting = invoke(SET);
		this.broker.onRequest = (broker, request) -> {
			request.ack(0);
			request.reply("+OK\r\n");
		};
		try (CapturedLog log = new CapturedLog("io.statestore.client.mqtt", Level.DEBUG)) {
			skip(Duration.ofSeconds(31));
			await("a new connection").until(() -> this.broker.connects.size() == 2 && connection().isConnected());
			assertThat(log.contains("Lost connection")).isTrue();
			assertThat(log.contains("has not acknowledged a message for 30 s")).isTrue();
		}
		failure(waiting, StateStoreNotSentException.class);
		get(invoke(SET));
		get(invoke(SET));
	}

	@Test
	void keepsConnectionIfBrokerAcknowledgesSlowly() throws Exception {
		start(this.broker.options().keepAlive(Duration.ofMinutes(10)).build());
		hold();
		List<CompletableFuture<Response>> calls = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			calls.add(calls().invoke(SET, new Options(null, false, Duration.ofHours(10))));
		}
		await("all requests").until(() -> this.broker.requests.size() == 5);
		for (CompletableFuture<Response> call : calls) {
			skip(Duration.ofMinutes(6));
			connection().flow().checkAcknowledgments();
			FakeBroker.Request request = this.broker.requests.remove();
			request.ack(0);
			request.reply("+OK\r\n");
			get(call);
		}
		assertThat(connection().isConnected()).isTrue();
		assertThat(this.broker.connects).hasSize(1);
	}

	@Test
	void keepsConnectionToBrokerThatIsBusyForSeconds() {
		start(this.broker.options().requestTimeout(Duration.ofMillis(100)).keepAlive(Duration.ZERO).build());
		hold();
		invoke(SET);
		awaitRequest();
		Link link = link();
		skip(Duration.ofSeconds(20));
		checkTwice();
		assertThat(link.lost()).isNotDone();
	}

	// After a pause of the process, as in a debugger, the acknowledgment may have arrived
	// without having been read.
	@Test
	void checksOverdueAcknowledgmentTwice() {
		start(this.broker.options().build());
		Link link = link();
		ManualFlow manual = new ManualFlow();
		manual.flow.open(link, 1);
		FlowControl.Outgoing outgoing = (unused) -> Submission.ACCEPTED;
		for (int i = 0; i < 2; i++) {
			manual.flow.submit(outgoing);
			manual.check(Duration.ofMinutes(2));
			assertThat(link.lost()).isNotDone();
			manual.flow.release(link, outgoing);
		}
		manual.flow.submit(outgoing);
		manual.check(Duration.ofMinutes(2));
		manual.check(Duration.ofSeconds(1));
		assertThat(link.lost()).isCompletedWithValueMatching(
				(cause) -> String.valueOf(cause.getMessage()).contains("has not acknowledged"));
	}

	@Test
	void keepsConnectionWhileSendingLargeMessage() throws Exception {
		start(this.broker.options().keepAlive(Duration.ofSeconds(30)).build());
		Link link = link();
		// Larger than the buffers of sockets, so that it is sent only as it is read.
		int step = 8 * 1024 * 1024;
		this.broker.onRequest = (broker, request) -> request.ack(0);
		this.broker.read(step);
		link.publish(new LinkMessage("large", new byte[5 * step]), (reasonCode) -> {
		});
		for (int i = 0; i < 4; i++) {
			await("a part of it").until(() -> this.broker.bytesToRead.get() <= 0);
			skip(Duration.ofSeconds(16));
			checkTwice();
			assertThat(link.lost()).isNotDone();
			this.broker.read(step);
		}
		this.broker.read(Long.MAX_VALUE);
		await("the message").until(() -> !this.broker.requests.isEmpty());
		assertThat(this.broker.connects).hasSize(1);
	}

	@Test
	void keepsConnectionWhileReceivingLargeMessage() throws Exception {
		start(this.broker.options().keepAlive(Duration.ofSeconds(30)).build());
		Link link = link();
		hold();
		CompletableFuture<Response> call = calls().invoke(SET, new Options(null, false, Duration.ofHours(1)));
		FakeBroker.Request request = awaitRequest();
		int step = 100_000;
		ByteBuf packet = this.broker.encoded("large", new byte[5 * step]);
		for (int i = 0; i < 4; i++) {
			long before = link.progress().received().bytes();
			this.broker.send(packet.readRetainedSlice(step));
			await("a part of it").until(() -> link.progress().received().bytes() == before + step);
			skip(Duration.ofSeconds(16));
			checkTwice();
			assertThat(link.lost()).isNotDone();
		}
		this.broker.send(packet);
		request.ack(0);
		request.reply("+OK\r\n");
		get(call);
		assertThat(this.broker.connects).hasSize(1);
	}

	private Link link() {
		return Objects.requireNonNull(connection().link());
	}

	private void checkTwice() {
		connection().flow().checkAcknowledgments();
		connection().flow().checkAcknowledgments();
	}

	/** Flow control that checks acknowledgments on request only. */
	private static final class ManualFlow {

		private final AtomicLong now = new AtomicLong();

		private final FlowControl flow = new FlowControl(new ScheduledThreadPoolExecutor(1, (worker) -> new Thread()),
				this.now::get, Activity.UNTRACKED, Duration.ofMinutes(1), 1024);

		void check(Duration later) {
			this.now.addAndGet(later.toNanos());
			this.flow.checkAcknowledgments();
		}

	}

}
