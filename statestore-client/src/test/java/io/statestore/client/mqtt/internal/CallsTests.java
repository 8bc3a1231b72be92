package io.statestore.client.mqtt.internal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.FencingToken;
import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreNotAuthorizedException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Topics;
import io.statestore.protocol.Version;
import io.statestore.test.CapturedLog;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import static io.netty.handler.codec.mqtt.MqttProperties.CONTENT_TYPE;
import static io.netty.handler.codec.mqtt.MqttProperties.PAYLOAD_FORMAT_INDICATOR;
import static io.netty.handler.codec.mqtt.MqttProperties.PUBLICATION_EXPIRY_INTERVAL;
import static io.netty.handler.codec.mqtt.MqttProperties.RESPONSE_TOPIC;
import static io.netty.handler.codec.mqtt.MqttProperties.TOPIC_ALIAS;
import static io.netty.handler.codec.mqtt.MqttProperties.TOPIC_ALIAS_MAXIMUM;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

@Timeout(30)
@Isolated("captures the log")
class CallsTests extends CallsFixture {

	@Test
	void sendsRequestInFormOfProtocol() throws Exception {
		FencingToken token = new FencingToken(new Version(12, 3, "StateStore"));
		get(calls().invoke(SET, new Options(token, true, Duration.ofMillis(2100))));
		FakeBroker.Request request = awaitRequest();
		assertThat(request.topic()).isEqualTo(Topics.REQUEST);
		assertThat(request.text()).isEqualTo("*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$5\r\nvalue\r\n");
		assertThat(request.<String>property(RESPONSE_TOPIC)).isEqualTo(Topics.response("test"));
		assertThat(request.correlationData()).hasSize(16);
		assertThat(request.<String>property(CONTENT_TYPE)).isEqualTo("application/octet-stream");
		assertThat(request.<Integer>property(PAYLOAD_FORMAT_INDICATOR)).isIn(null, 0);
		assertThat(request.<Integer>property(PUBLICATION_EXPIRY_INTERVAL)).isEqualTo(3);
		assertThat(request.userProperties()).hasSize(5)
			.contains("__ft=000000000000012:00003:StateStore", "__protVer=1.0", "__srcId=test", "aio-persistence=true");
		assertThat(request.userProperties().get(0)).matches("__ts=\\d{15}:\\d{5}:[0-9a-f]{32}");
	}

	@Test
	void omitsUnsetProperties() throws Exception {
		get(invoke(GET));
		assertThat(awaitRequest().userProperties()).hasSize(3);
		assertThat(awaitRequest().<Integer>property(PUBLICATION_EXPIRY_INTERVAL)).isEqualTo(10);
	}

	@Test
	void usesUniqueCorrelationDataAndTimestamps() throws Exception {
		List<CompletableFuture<Response>> futures = new ArrayList<>();
		for (int i = 0; i < 1000; i++) {
			futures.add(invoke(GET));
		}
		CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)).get(10, TimeUnit.SECONDS);
		assertThat(this.broker.requests.stream().map((request) -> Bytes.wrap(request.correlationData()))).hasSize(1000)
			.doesNotHaveDuplicates();
		assertThat(this.broker.requests.stream().map((request) -> request.userProperties().get(0)))
			.doesNotHaveDuplicates()
			.isSorted();
	}

	@Test
	void returnsReplyAndVersion() throws Exception {
		this.broker.onRequest = (broker, request) -> {
			request.ack(0);
			request.reply("$5\r\nvalue\r\n", "__stat", "200", "__ts", "1696374425000:1:StateStore", "__protVer", "1.0");
		};
		Response response = get(invoke(GET));
		assertThat(response.reply()).isEqualTo(new Reply.Value(Bytes.of("value")));
		assertThat(response.version()).isEqualTo(new Version(1696374425000L, 1, "StateStore"));
	}

	@Test
	void acceptsReplyWithoutStatusAndVersion() throws Exception {
		Response response = get(invoke(SET));
		assertThat(response.reply()).isEqualTo(new Reply.Ok());
		assertThat(response.version()).isNull();
	}

	@Test
	void acceptsReplyBeforeAcknowledgment() throws Exception {
		this.broker.onRequest = (broker, request) -> {
			request.reply("+OK\r\n");
			request.ack(0);
		};
		assertThat(get(invoke(SET)).reply()).isEqualTo(new Reply.Ok());
	}

	@Test
	void refusalHasReasonCauseAndNextStep() {
		this.broker.onRequest = (broker, request) -> {
			request.ack(0);
			request.reply("-ERR " + ErrorReason.TIMESTAMP_TOO_FAR_IN_FUTURE.text() + "\r\n", "__stat", "200");
		};
		StateStoreRefusedException refused = failure(invoke(SET), StateStoreRefusedException.class);
		assertThat(refused.reason()).isEqualTo(ErrorReason.TIMESTAMP_TOO_FAR_IN_FUTURE);
		assertThat(refused).hasMessageStartingWith("The state store refused SET of key 'key': ")
			.hasMessageContaining("clock of this machine is more than a minute ahead")
			.hasMessageContaining("NTP");
	}

	@Test
	void failsOnStatusOf400AndAbove() {
		this.broker.onRequest = (broker, request) -> request.reply("+OK\r\n", "__stat", "500", "__stMsg", "on fire");
		StateStoreException failure = failure(invoke(GET), StateStoreException.class);
		assertThat(failure).isExactlyInstanceOf(StateStoreException.class).hasMessageContaining("status 500, on fire");
		failure(invoke(SET), StateStoreOutcomeUnknownException.class);
	}

	@Test
	void failsOnMalformedVersion() {
		this.broker.onRequest = (broker, request) -> request.reply("+OK\r\n", "__ts", "yesterday");
		assertThat(failure(invoke(SET), StateStoreOutcomeUnknownException.class))
			.hasMessageContaining("malformed timestamp");
	}

	@Test
	void failsOnMalformedReplyWithoutShowingIt() {
		this.broker.onRequest = (broker, request) -> request.reply("!secret");
		assertThat(failure(invoke(GET), StateStoreException.class)).hasMessageContaining("violates the protocol")
			.hasMessageNotContaining("secret");
		failure(invoke(SET), StateStoreOutcomeUnknownException.class);
	}

	@Test
	void clockFollowsVersionsOfReplies() throws Exception {
		long ahead = System.currentTimeMillis() + 30_000;
		this.broker.onRequest = (broker, request) -> request.reply("+OK\r\n", "__ts", ahead + ":7:StateStore");
		get(invoke(SET));
		get(invoke(SET));
		List<FakeBroker.Request> requests = List.copyOf(this.broker.requests);
		assertThat(requests.get(1).userProperties().get(0)).startsWith("__ts=00" + ahead + ":00008:");
	}

	@Test
	void warnsIfClockOfStoreIsFarAhead() throws Exception {
		long ahead = System.currentTimeMillis() + 300_000;
		this.broker.onRequest = (broker, request) -> request.reply("+OK\r\n", "__ts", ahead + ":7:StateStore");
		try (CapturedLog log = new CapturedLog("io.statestore.client.mqtt", Level.DEBUG)) {
			assertThat(get(invoke(SET)).version()).isEqualTo(new Version(ahead, 7, "StateStore"));
			assertThat(log.contains("synchronize the clocks")).isTrue();
		}
	}

	@Test
	void outcomeIsUnknownAtDeadlineWithoutReply() throws Exception {
		this.broker.onRequest = (broker, request) -> request.ack(0);
		CompletableFuture<Response> future = invoke(SET);
		await("a request").until(() -> !this.broker.requests.isEmpty());
		// Answered after the request was acknowledged.
		connection().addSubscription("other", (message) -> {
		}).get(10, TimeUnit.SECONDS);
		skip(Duration.ofMillis(9_900));
		assertThat(future).isNotDone();
		skip(Duration.ofSeconds(1));
		assertThat(failure(future, StateStoreOutcomeUnknownException.class)).hasMessageContaining("SET within 10.0 s")
			.hasMessageContaining("mqtt://127.0.0.1:" + this.broker.port())
			.hasMessageContaining("statestore.client-id");
		assertThat(calls().pending()).isZero();
	}

	@Test
	void countsAndIgnoresLateAndUnknownReplies() throws Exception {
		hold();
		CompletableFuture<Response> future = invoke(SET);
		FakeBroker.Request request = awaitRequest();
		skip(Duration.ofSeconds(11));
		failure(future, StateStoreOutcomeUnknownException.class);
		request.reply("+OK\r\n");
		this.broker.publish(Topics.response("test"), "+OK\r\n", FakeBroker.correlation(new byte[] { 1, 2, 3 }));
		this.broker.publish(Topics.response("test"), "+OK\r\n", new io.netty.handler.codec.mqtt.MqttProperties());
		await("three unmatched replies").until(() -> calls().unmatchedReplies() == 3);
		this.broker.onRequest = (broker, next) -> next.reply("+OK\r\n");
		assertThat(get(invoke(SET)).reply()).isEqualTo(new Reply.Ok());
	}

	@Test
	void namesKeyUserAndOperationWithoutAuthorization() {
		start(this.broker.options().username("ada").build());
		this.broker.onRequest = (broker, request) -> request.reply("-ERR not authorized\r\n");
		StateStoreNotAuthorizedException denied = failure(invoke(SET), StateStoreNotAuthorizedException.class);
		assertThat(denied).hasMessageStartingWith("The state store refused SET of key 'key': not authorized. ")
			.hasMessageContaining("Allow user 'ada' to write this key in the rules of the server");
		assertThat(denied.key()).isEqualTo(Key.of("key"));
		assertThat(failure(invoke(GET), StateStoreNotAuthorizedException.class))
			.hasMessageContaining("to read this key");
		assertThat(failure(invoke(new Command.Increment(Bytes.of("k"), 1)), StateStoreNotAuthorizedException.class))
			.hasMessageContaining("to read and write this key");
		assertThat(failure(invoke(new Command.KeyNotify(Bytes.of("k"))), StateStoreNotAuthorizedException.class))
			.hasMessageContaining("KEYNOTIFY of key 'k'");
	}

	@Test
	void failsAtOnceIfPublishIsRefused() {
		this.broker.onRequest = (broker, request) -> request.ack(0x87);
		assertThat(failure(invoke(SET), StateStoreNotSentException.class)).hasMessageContaining("not authorized (0x87)")
			.hasMessageContaining("Client 'test'")
			.hasMessageContaining(Topics.REQUEST);
	}

	@Test
	void reportsBrokerWithoutStateStore() {
		this.broker.onRequest = (broker, request) -> request.ack(0x10);
		assertThat(failure(invoke(SET), StateStoreNotSentException.class))
			.hasMessageContaining("no state store is attached");
	}

	@Test
	void namesResponseTopicIfNoReplyEverArrived() {
		hold();
		CompletableFuture<Response> call = invoke(SET);
		awaitRequest();
		this.broker.requests.element().ack(0);
		skip(Duration.ofSeconds(11));
		assertThat(failure(call, StateStoreOutcomeUnknownException.class)).hasMessageContaining(Topics.response("test"))
			.hasMessageContaining(ConnectionDiagnosis.NO_REPLY_EVER.nextStep());
	}

	@Test
	void transfersLargeValueBothWays() throws Exception {
		this.broker.onRequest = (broker, request) -> {
			request.ack(0);
			request.reply(request.text().startsWith("*3") ? ("+OK\r\n").getBytes(StandardCharsets.UTF_8)
					: ("$3000000\r\n" + "y".repeat(3_000_000) + "\r\n").getBytes(StandardCharsets.UTF_8));
		};
		assertThat(get(invoke(set(3_000_000))).reply()).isEqualTo(new Reply.Ok());
		assertThat(((Reply.Value) get(invoke(GET)).reply()).value().length()).isEqualTo(3_000_000);
	}

	@Test
	void acceptsVeryLongTimeout() throws Exception {
		Options forEver = new Options(null, false, Duration.ofSeconds(Long.MAX_VALUE));
		assertThat(get(calls().invoke(SET, forEver)).reply()).isEqualTo(new Reply.Ok());
	}

	@Test
	void rejectsTimeoutOfZero() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> calls().invoke(SET, new Options(null, false, Duration.ZERO)))
			.withMessage("'timeout' must be positive, but is PT0S");
	}

	@Test
	void checksDeadlinesAfterFailedCheck() {
		hold();
		CompletableFuture<Response> future = invoke(SET);
		awaitRequest();
		this.clockFails.set(true);
		await("the error").until(() -> !this.clockFails.get());
		skip(Duration.ofSeconds(11));
		failure(future, StateStoreOutcomeUnknownException.class);
	}

	@Test
	void usesNoTopicAlias() throws Exception {
		this.broker.connAck(TOPIC_ALIAS_MAXIMUM, 10);
		start(this.broker.options().build());
		for (int i = 0; i < 3; i++) {
			get(invoke(SET));
		}
		assertThat(this.broker.requests).allSatisfy((request) -> {
			assertThat(request.topic()).isEqualTo(Topics.REQUEST);
			assertThat(request.<Integer>property(TOPIC_ALIAS)).isNull();
		});
	}

}
