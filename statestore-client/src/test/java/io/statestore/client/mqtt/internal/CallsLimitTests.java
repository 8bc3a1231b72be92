package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.netty.handler.codec.mqtt.MqttProperties;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.FencingToken;
import io.statestore.client.StateStoreInvalidRequestException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.TransientStateStoreException;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Limits of the broker and of the options. */
@Timeout(30)
class CallsLimitTests extends CallsFixture {

	@Test
	void callsWaitInOrderForReceiveMaximum() throws Exception {
		this.broker.connAck(MqttProperties.RECEIVE_MAXIMUM, 2);
		start(this.broker.options().build());
		AtomicInteger unacknowledged = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		this.broker.onRequest = (broker, request) -> {
			most.accumulateAndGet(unacknowledged.incrementAndGet(), Math::max);
			request.reply("$-1\r\n");
			broker.later(() -> {
				unacknowledged.decrementAndGet();
				request.ack(0);
			});
		};
		List<CompletableFuture<Response>> futures = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			futures.add(invoke(new Command.Get(Bytes.of("k" + i))));
		}
		CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)).get(10, TimeUnit.SECONDS);
		assertThat(most.get()).isEqualTo(2);
		List<String> keys = this.broker.requests.stream().map((request) -> request.text().split("\r\n")[4]).toList();
		assertThat(keys).hasSize(200);
		for (int i = 0; i < 200; i++) {
			assertThat(keys.get(i)).isEqualTo("k" + i);
		}
	}

	@Test
	void failsAsUnsentAtDeadlineWithoutRoom() {
		this.broker.connAck(MqttProperties.RECEIVE_MAXIMUM, 1);
		start(this.broker.options().build());
		hold();
		CompletableFuture<Response> first = invoke(SET);
		CompletableFuture<Response> second = invoke(SET);
		awaitRequest();
		skip(Duration.ofSeconds(11));
		failure(first, StateStoreOutcomeUnknownException.class);
		assertThat(failure(second, StateStoreNotSentException.class)).hasMessageContaining("not sent within 10.0 s")
			.hasMessageContaining("did not acknowledge or answer");
		assertThat(this.broker.requests).hasSize(1);
	}

	@Test
	void limitsRequestsInFlight() {
		start(this.broker.options().maxInFlight(3).build());
		hold();
		for (int i = 0; i < 10; i++) {
			invoke(SET);
		}
		await("three requests").until(() -> this.broker.requests.size() == 3);
		List.copyOf(this.broker.requests).forEach((request) -> {
			request.ack(0);
			request.reply("+OK\r\n");
		});
		await("six requests").until(() -> this.broker.requests.size() == 6);
	}

	@Test
	void limitsNumberOfPendingCalls() {
		start(this.broker.options().maxPending(5).build());
		hold();
		for (int i = 0; i < 5; i++) {
			assertThat(invoke(SET)).isNotDone();
		}
		assertThat(failure(invoke(SET), StateStoreNotSentException.class)).hasMessageContaining("5 calls are pending");
	}

	@Test
	void limitsSizeOfPendingCalls() {
		start(this.broker.options().maxPendingSize(1000).build());
		hold();
		CompletableFuture<Response> large = invoke(set(2000));
		assertThat(failure(invoke(SET), StateStoreNotSentException.class))
			.hasMessageContaining("pending calls may have 1000 bytes together")
			.hasMessageContaining("maxPendingSize");
		assertThat(calls().invoke(SET, Options.DEFAULT.asUrgent())).isNotDone();
		large.cancel(false);
		CompletableFuture<Response> first = invoke(set(400));
		CompletableFuture<Response> second = invoke(set(400));
		failure(invoke(set(400)), StateStoreNotSentException.class);
		assertThat(List.of(first, second)).noneMatch(CompletableFuture::isDone);
		assertThat(calls().pending()).isEqualTo(3);
	}

	// The broker would disconnect.
	@Test
	void rejectsPacketAboveMaximumOfBroker() throws Exception {
		this.broker.connAck(MqttProperties.MAXIMUM_PACKET_SIZE, 1000);
		start(this.broker.options().build());
		assertThat(failure(invoke(set(2000)), StateStoreInvalidRequestException.class))
			.isNotInstanceOf(TransientStateStoreException.class)
			.hasMessageMatching("The request has 2\\d{3} bytes, but the broker .* at most 1000 bytes.*");
		assertThat(get(invoke(SET)).reply()).isEqualTo(new Reply.Ok());
		assertThat(this.broker.requests).hasSize(1);
		assertThat(this.broker.connects).hasSize(1);
	}

	@Test
	void sendsPacketsUpToMaximumOfBroker() throws Exception {
		this.broker.connAck(MqttProperties.MAXIMUM_PACKET_SIZE, 1000);
		start(this.broker.options().build());
		int size = 400;
		while (get(invoke(set(size)).exceptionally((ex) -> new Response(new Reply.Missing(), null)))
			.reply() instanceof Reply.Ok) {
			size++;
		}
		// Includes 1 byte for the type and 2 for the remaining length.
		assertThat(this.broker.largestPacket.get()).isEqualTo(1000);
	}

	// The maximum of the broker concerns packets to the broker only.
	@Test
	void acceptsReplyAboveMaximumOfBroker() throws Exception {
		this.broker.connAck(MqttProperties.MAXIMUM_PACKET_SIZE, 1000);
		start(this.broker.options().build());
		this.broker.onRequest = (broker, request) -> request.reply("$5000\r\n" + "x".repeat(5000) + "\r\n");
		assertThat(((Reply.Value) get(invoke(GET)).reply()).value().length()).isEqualTo(5000);
		assertThat(this.broker.connects).hasSize(1);
	}

	@Test
	void rejectsValueAboveMqttLimit() {
		byte[] huge = new byte[268_500_000];
		assertThat(failure(invoke(new Command.Set(Bytes.of("k"), Bytes.wrap(huge))),
				StateStoreInvalidRequestException.class))
			.hasMessageContaining("268500001 bytes");
	}

	@Test
	void rejectsKeyTooLongToWatch() {
		Command command = new Command.KeyNotify(Bytes.wrap(new byte[40_000]));
		assertThat(failure(invoke(command), StateStoreInvalidRequestException.class))
			.hasMessageContaining("40000 bytes");
	}

	@Test
	void rejectsFencingTokenThatIsTooLong() throws Exception {
		FencingToken token = new FencingToken(new Version(1, 1, "x".repeat(70_000)));
		assertThat(
				failure(calls().invoke(SET, new Options(token, false, null)), StateStoreInvalidRequestException.class))
			.hasMessageContaining("fencing token");
		assertThat(get(invoke(SET)).reply()).isEqualTo(new Reply.Ok());
		assertThat(this.broker.connects).hasSize(1);
	}

	@Test
	void canceledCallIsNoLongerPending() {
		this.broker.connAck(MqttProperties.RECEIVE_MAXIMUM, 1);
		start(this.broker.options().build());
		hold();
		CompletableFuture<Response> sent = invoke(SET);
		CompletableFuture<Response> waiting = invoke(GET);
		FakeBroker.Request request = awaitRequest();
		sent.cancel(false);
		waiting.cancel(false);
		assertThat(calls().pending()).isZero();
		request.reply("+OK\r\n");
		await("the reply to the canceled call").until(() -> calls().unmatchedReplies() == 1);
		request.ack(0);
		invoke(new Command.Del(Bytes.of("key")));
		await("another request").until(() -> this.broker.requests.size() == 2);
		assertThat(this.broker.requests.stream().map(FakeBroker.Request::text))
			.noneMatch((text) -> text.contains("GET"));
	}

}
