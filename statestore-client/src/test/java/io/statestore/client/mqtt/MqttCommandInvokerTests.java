package io.statestore.client.mqtt;

import io.statestore.client.mqtt.paho.PahoLink;
import io.statestore.client.mqtt.link.LinkMessage;
import io.statestore.client.mqtt.link.Link;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.statestore.client.ClientResources;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.FencingToken;
import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreInvalidRequestException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.TransientStateStoreException;
import io.statestore.client.mqtt.TestedTransport.PahoOnly;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Topics;
import io.statestore.protocol.Version;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttActionListener;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

@Timeout(30)
class MqttCommandInvokerTests {

	private static final Command.Set SET = new Command.Set(Bytes.of("key"), Bytes.of("value"));

	private static final Command.Get GET = new Command.Get(Bytes.of("key"));

	private final FakeBroker broker = new FakeBroker();

	private final AtomicLong skippedNanos = new AtomicLong();

	/** The next time it is read. */
	private final AtomicBoolean clockFails = new AtomicBoolean();

	private @Nullable StateStoreConnection connection;

	private @Nullable MqttCommandInvoker invoker;

	@AfterEach
	void close() {
		connection().close();
		this.broker.close();
	}

	/** Started with usual options unless the test has chosen others. */
	private StateStoreConnection connection() {
		return (this.connection != null) ? this.connection : start(this.broker.options().build());
	}

	private MqttCommandInvoker invoker() {
		connection();
		return Objects.requireNonNull(this.invoker);
	}

	private StateStoreConnection start(ConnectionOptions options) {
		StateStoreConnection connection = new StateStoreConnection(options, new ClientResources(this::now));
		this.connection = connection;
		this.invoker = new MqttCommandInvoker(connection, this::nowUnlessItFails, System::currentTimeMillis);
		connection.start();
		return connection;
	}

	private long now() {
		return System.nanoTime() + this.skippedNanos.get();
	}

	private long nowUnlessItFails() {
		if (this.clockFails.getAndSet(false)) {
			throw new IllegalStateException("clock");
		}
		return now();
	}

	private CompletableFuture<Response> invoke(Command command) {
		return invoker().invoke(command, Options.DEFAULT);
	}

	private void skip(Duration duration) {
		this.skippedNanos.addAndGet(duration.toNanos());
	}

	private static Response get(CompletableFuture<Response> future) throws Exception {
		return future.get(10, TimeUnit.SECONDS);
	}

	private static <T extends Throwable> T failure(CompletableFuture<Response> future, Class<T> type) {
		Throwable thrown = catchThrowable(() -> get(future));
		assertThat(thrown).isInstanceOf(ExecutionException.class);
		assertThat(thrown.getCause()).isInstanceOf(type);
		return type.cast(thrown.getCause());
	}

	private void hold() {
		this.broker.onRequest = (broker, request) -> {
		};
	}

	private FakeBroker.Request awaitRequest() {
		await("a request").until(() -> !this.broker.requests.isEmpty());
		return this.broker.requests.peek();
	}

	@Test
	void sendsWhatTheProtocolWants() throws Exception {
		FencingToken token = new FencingToken(new Version(12, 3, "StateStore"));
		get(invoker().invoke(SET, new Options(token, true, Duration.ofMillis(2100))));
		FakeBroker.Request request = awaitRequest();
		assertThat(request.topic()).isEqualTo(Topics.REQUEST);
		assertThat(request.text()).isEqualTo("*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$5\r\nvalue\r\n");
		assertThat(request.<String>property(MqttPropertyType.RESPONSE_TOPIC)).isEqualTo(Topics.response("test"));
		assertThat(request.correlationData()).hasSize(16);
		assertThat(request.<String>property(MqttPropertyType.CONTENT_TYPE)).isEqualTo("application/octet-stream");
		assertThat(request.<Integer>property(MqttPropertyType.PAYLOAD_FORMAT_INDICATOR)).isIn(null, 0);
		assertThat(request.<Integer>property(MqttPropertyType.PUBLICATION_EXPIRY_INTERVAL)).isEqualTo(3);
		assertThat(request.userProperties()).hasSize(5)
			.contains("__ft=000000000000012:00003:StateStore", "__protVer=1.0", "__srcId=test", "aio-persistence=true");
		assertThat(request.userProperties().get(0)).matches("__ts=\\d{15}:\\d{5}:[0-9a-f]{32}");
	}

	@Test
	void sendsNoMoreThanNeeded() throws Exception {
		get(invoke(GET));
		assertThat(awaitRequest().userProperties()).hasSize(3);
		assertThat(awaitRequest().<Integer>property(MqttPropertyType.PUBLICATION_EXPIRY_INTERVAL)).isEqualTo(10);
	}

	@Test
	void neverUsesCorrelationDataOrTimestampTwice() throws Exception {
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
	void bringsBackReplyAndVersion() throws Exception {
		this.broker.onRequest = (broker, request) -> {
			request.ack(0);
			request.reply("$5\r\nvalue\r\n", "__stat", "200", "__ts", "1696374425000:1:StateStore", "__protVer", "1.0");
		};
		Response response = get(invoke(GET));
		assertThat(response.reply()).isEqualTo(new Reply.Value(Bytes.of("value")));
		assertThat(response.version()).isEqualTo(new Version(1696374425000L, 1, "StateStore"));
	}

	@Test
	void needsNeitherStatusNorVersion() throws Exception {
		Response response = get(invoke(SET));
		assertThat(response.reply()).isEqualTo(new Reply.Ok());
		assertThat(response.version()).isNull();
	}

	@Test
	void aReplyMayComeBeforeItsAcknowledgement() throws Exception {
		this.broker.onRequest = (broker, request) -> {
			request.reply("+OK\r\n");
			request.ack(0);
		};
		assertThat(get(invoke(SET)).reply()).isEqualTo(new Reply.Ok());
	}

	@Test
	void aRefusalNamesReasonCauseAndNextStep() {
		this.broker.onRequest = (broker, request) -> {
			request.ack(0);
			request.reply("-ERR " + ErrorReason.TIMESTAMP_TOO_FAR_IN_FUTURE.text() + "\r\n", "__stat", "200");
		};
		StateStoreRefusedException refused = failure(invoke(SET), StateStoreRefusedException.class);
		assertThat(refused.reason()).isEqualTo(ErrorReason.TIMESTAMP_TOO_FAR_IN_FUTURE);
		assertThat(refused).hasMessageContaining("refused SET")
			.hasMessageContaining("clock of this machine is more than a minute ahead")
			.hasMessageContaining("NTP");
	}

	@Test
	void aStatusOf400AndAboveIsAFailure() {
		this.broker.onRequest = (broker, request) -> request.reply("+OK\r\n", "__stat", "500", "__stMsg", "on fire");
		StateStoreException failure = failure(invoke(GET), StateStoreException.class);
		assertThat(failure).isExactlyInstanceOf(StateStoreException.class).hasMessageContaining("status 500, on fire");
		failure(invoke(SET), StateStoreOutcomeUnknownException.class);
	}

	@Test
	void aMalformedVersionIsAFailureAndNoHang() {
		this.broker.onRequest = (broker, request) -> request.reply("+OK\r\n", "__ts", "yesterday");
		assertThat(failure(invoke(SET), StateStoreOutcomeUnknownException.class))
			.hasMessageContaining("malformed timestamp");
	}

	@Test
	void aMalformedReplyIsAFailureThatDoesNotShowIt() {
		this.broker.onRequest = (broker, request) -> request.reply("!secret");
		assertThat(failure(invoke(GET), StateStoreException.class)).hasMessageContaining("violates the protocol")
			.hasMessageNotContaining("secret");
		failure(invoke(SET), StateStoreOutcomeUnknownException.class);
	}

	@Test
	void theClockFollowsTheVersionsOfReplies() throws Exception {
		long ahead = System.currentTimeMillis() + 30_000;
		this.broker.onRequest = (broker, request) -> request.reply("+OK\r\n", "__ts", ahead + ":7:StateStore");
		get(invoke(SET));
		get(invoke(SET));
		List<FakeBroker.Request> requests = List.copyOf(this.broker.requests);
		assertThat(requests.get(1).userProperties().get(0)).startsWith("__ts=00" + ahead + ":00008:");
	}

	@Test
	void aStoreWhoseClockIsFarAheadIsAnswerableAndWarnedOf() throws Exception {
		long ahead = System.currentTimeMillis() + 300_000;
		this.broker.onRequest = (broker, request) -> request.reply("+OK\r\n", "__ts", ahead + ":7:StateStore");
		try (CapturedLog log = new CapturedLog()) {
			assertThat(get(invoke(SET)).version()).isEqualTo(new Version(ahead, 7, "StateStore"));
			assertThat(log.contains("synchronize the clocks")).isTrue();
		}
	}

	@Test
	void withoutReplyTheOutcomeIsUnknownAtTheDeadline() {
		this.broker.onRequest = (broker, request) -> request.ack(0);
		CompletableFuture<Response> future = invoke(SET);
		await("a request").until(() -> !this.broker.requests.isEmpty());
		skip(Duration.ofMillis(9_900));
		assertThat(future).isNotDone();
		skip(Duration.ofSeconds(1));
		assertThat(failure(future, StateStoreOutcomeUnknownException.class)).hasMessageContaining("SET within 10.0 s")
			.hasMessageContaining("mqtt://127.0.0.1:" + this.broker.port())
			.hasMessageContaining("statestore.client-id");
		assertThat(invoker().pendingCalls()).isZero();
	}

	@Test
	void lateAndForeignRepliesAreCountedAndIgnored() throws Exception {
		hold();
		CompletableFuture<Response> future = invoke(SET);
		FakeBroker.Request request = awaitRequest();
		skip(Duration.ofSeconds(11));
		failure(future, StateStoreOutcomeUnknownException.class);
		request.reply("+OK\r\n");
		this.broker.publish(Topics.response("test"), "+OK\r\n", FakeBroker.correlation(new byte[] { 1, 2, 3 }));
		this.broker.publish(Topics.response("test"), "+OK\r\n", new io.netty.handler.codec.mqtt.MqttProperties());
		await("three unmatched replies").until(() -> invoker().unmatchedReplies() == 3);
		this.broker.onRequest = (broker, next) -> next.reply("+OK\r\n");
		assertThat(get(invoke(SET)).reply()).isEqualTo(new Reply.Ok());
	}

	// Trap: Paho completes a publish successfully whatever the PUBACK says.
	@Test
	void aRefusedPublishFailsAtOnce() {
		this.broker.onRequest = (broker, request) -> request.ack(0x87);
		assertThat(failure(invoke(SET), StateStoreNotSentException.class)).hasMessageContaining("not authorized (0x87)")
			.hasMessageContaining("Client 'test'")
			.hasMessageContaining(Topics.REQUEST);
	}

	@Test
	void aBrokerWithoutStateStoreIsNamed() {
		this.broker.onRequest = (broker, request) -> request.ack(0x10);
		assertThat(failure(invoke(SET), StateStoreNotSentException.class))
			.hasMessageContaining("no state store is attached");
	}

	// Trap: Paho throws 32202 at the publish beyond the server's receive maximum.
	@Test
	void aSmallReceiveMaximumMakesCallsWaitInOrder() throws Exception {
		this.broker.connAck(MqttPropertyType.RECEIVE_MAXIMUM, 2);
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
	void withoutRoomACallFailsUnsentAtItsDeadline() {
		this.broker.connAck(MqttPropertyType.RECEIVE_MAXIMUM, 1);
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
	void ourOwnLimitHoldsWhereTheBrokerHasNone() {
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
	void tooManyPendingCallsAreRefused() {
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
			.hasMessageContaining("statestore.max-pending-size");
		assertThat(invoker().invoke(SET, Options.DEFAULT.asUrgent())).isNotDone();
		large.cancel(false);
		CompletableFuture<Response> first = invoke(set(400));
		CompletableFuture<Response> second = invoke(set(400));
		failure(invoke(set(400)), StateStoreNotSentException.class);
		assertThat(List.of(first, second)).noneMatch(CompletableFuture::isDone);
		assertThat(invoker().pendingCalls()).isEqualTo(3);
	}

	// Trap: Paho sends packets above the server's maximum, and then loses the
	// connection.
	@Test
	void aPacketAboveTheServersMaximumIsRefusedBeforeItIsSent() throws Exception {
		this.broker.connAck(MqttPropertyType.MAXIMUM_PACKET_SIZE, 1000);
		start(this.broker.options().build());
		assertThat(failure(invoke(set(2000)), StateStoreInvalidRequestException.class))
			.isNotInstanceOf(TransientStateStoreException.class)
			.hasMessageMatching("The request has 2\\d{3} bytes, but the broker .* at most 1000 bytes.*");
		assertThat(get(invoke(SET)).reply()).isEqualTo(new Reply.Ok());
		assertThat(this.broker.requests).hasSize(1);
		assertThat(this.broker.connects).hasSize(1);
	}

	@Test
	void theServersMaximumIsUsedToTheLastByte() throws Exception {
		this.broker.connAck(MqttPropertyType.MAXIMUM_PACKET_SIZE, 1000);
		start(this.broker.options().build());
		int size = 400;
		while (get(invoke(set(size)).exceptionally((ex) -> new Response(new Reply.Missing(), null)))
			.reply() instanceof Reply.Ok) {
			size++;
		}
		// 1 byte of type, 2 of remaining length: the server saw nothing above 1000.
		assertThat(this.broker.largestPacket.get()).isEqualTo(1000);
	}

	// Trap: Paho applies the server's maximum to what it receives and disconnects.
	@Test
	void aReplyMayBeLargerThanTheServersMaximum() throws Exception {
		this.broker.connAck(MqttPropertyType.MAXIMUM_PACKET_SIZE, 1000);
		start(this.broker.options().build());
		this.broker.onRequest = (broker, request) -> request.reply("$5000\r\n" + "x".repeat(5000) + "\r\n");
		assertThat(((Reply.Value) get(invoke(GET)).reply()).value().length()).isEqualTo(5000);
		assertThat(this.broker.connects).hasSize(1);
	}

	@Test
	void whatNoMqttPacketCanHoldIsRefusedWithoutCopyingIt() {
		byte[] huge = new byte[268_500_000];
		assertThat(failure(invoke(new Command.Set(Bytes.of("k"), Bytes.wrap(huge))),
				StateStoreInvalidRequestException.class))
			.hasMessageContaining("268500001 bytes");
	}

	@Test
	void aKeyTooLongToObserveIsRefused() {
		Command command = new Command.KeyNotify(Bytes.wrap(new byte[40_000]));
		assertThat(failure(invoke(command), StateStoreInvalidRequestException.class))
			.hasMessageContaining("40000 bytes");
	}

	@Test
	void aFencingTokenThatWouldBreakTheConnectionIsRefused() throws Exception {
		FencingToken token = new FencingToken(new Version(1, 1, "x".repeat(70_000)));
		assertThat(failure(invoker().invoke(SET, new Options(token, false, null)),
				StateStoreInvalidRequestException.class))
			.hasMessageContaining("fencing token");
		assertThat(get(invoke(SET)).reply()).isEqualTo(new Reply.Ok());
		assertThat(this.broker.connects).hasSize(1);
	}

	@Test
	void aLargeValueGoesBothWays() throws Exception {
		this.broker.onRequest = (broker, request) -> {
			request.ack(0);
			request.reply(request.text().startsWith("*3") ? ("+OK\r\n").getBytes(StandardCharsets.UTF_8)
					: ("$3000000\r\n" + "y".repeat(3_000_000) + "\r\n").getBytes(StandardCharsets.UTF_8));
		};
		assertThat(get(invoke(set(3_000_000))).reply()).isEqualTo(new Reply.Ok());
		assertThat(((Reply.Value) get(invoke(GET)).reply()).value().length()).isEqualTo(3_000_000);
	}

	@Test
	void aTimeoutMayBeForEver() throws Exception {
		Options forEver = new Options(null, false, Duration.ofSeconds(Long.MAX_VALUE));
		assertThat(get(invoker().invoke(SET, forEver)).reply()).isEqualTo(new Reply.Ok());
	}

	@Test
	void aTimeoutMustBePositive() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> invoker().invoke(SET, new Options(null, false, Duration.ZERO)))
			.withMessage("'timeout' must be positive, but is PT0S");
	}

	@Test
	void aCancelledCallGivesUpItsPlace() {
		this.broker.connAck(MqttPropertyType.RECEIVE_MAXIMUM, 1);
		start(this.broker.options().build());
		hold();
		CompletableFuture<Response> sent = invoke(SET);
		CompletableFuture<Response> waiting = invoke(GET);
		FakeBroker.Request request = awaitRequest();
		sent.cancel(false);
		waiting.cancel(false);
		assertThat(invoker().pendingCalls()).isZero();
		request.reply("+OK\r\n");
		await("the reply to the cancelled call").until(() -> invoker().unmatchedReplies() == 1);
		request.ack(0);
		invoke(new Command.Del(Bytes.of("key")));
		await("another request").until(() -> this.broker.requests.size() == 2);
		assertThat(this.broker.requests.stream().map(FakeBroker.Request::text))
			.noneMatch((text) -> text.contains("GET"));
	}

	// Trap: a publish pending at a drop is reported twice, and sent again.
	@Test
	void aWritePendingAtADropFailsOnceAndIsNeverSentAgain() {
		hold();
		AtomicInteger completions = new AtomicInteger();
		CompletableFuture<Response> future = invoke(SET);
		future.whenComplete((response, failure) -> completions.incrementAndGet());
		awaitRequest();
		this.broker.drop();
		assertThat(failure(future, StateStoreOutcomeUnknownException.class)).hasMessageContaining("was lost")
			.hasMessageContaining("Read the key");
		await("a new connection").until(() -> this.broker.connects.size() == 2 && connection().isConnected());
		assertThat(invoke(GET)).isNotDone();
		await("the read").until(() -> this.broker.requests.size() == 2);
		assertThat(List.copyOf(this.broker.requests).get(1).text()).contains("GET");
		assertThat(completions.get()).isEqualTo(1);
	}

	@Test
	void aReadPendingAtADropIsSentAgain() throws Exception {
		hold();
		CompletableFuture<Response> future = invoke(GET);
		awaitRequest();
		this.broker.onRequest = (broker, request) -> request.reply("$-1\r\n");
		this.broker.drop();
		assertThat(get(future).reply()).isEqualTo(new Reply.Missing());
		List<FakeBroker.Request> requests = List.copyOf(this.broker.requests);
		assertThat(requests).hasSize(2);
		assertThat(requests.get(0).correlationData()).isNotEqualTo(requests.get(1).correlationData());
	}

	@Test
	@PahoOnly
	void aLateRefusalOfAnEarlierAttemptIsIgnored() throws Exception {
		hold();
		CompletableFuture<Response> future = invoke(GET);
		awaitRequest();
		Link link = Objects.requireNonNull(connection().link());
		MqttActionListener earlierAttempt = ((PahoLink) link).client().getPendingTokens()[0].getActionCallback();
		this.broker.drop();
		await("the same request again").until(() -> this.broker.requests.size() == 2);
		earlierAttempt.onSuccess((IMqttToken) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { IMqttToken.class }, (token, method, args) -> new int[] { 0x87 }));
		List.copyOf(this.broker.requests).get(1).reply("$-1\r\n");
		assertThat(get(future).reply()).isEqualTo(new Reply.Missing());
	}

	@Test
	void deadlinesAreNoticedAlsoAfterAnErrorInBetween() {
		hold();
		CompletableFuture<Response> future = invoke(SET);
		awaitRequest();
		this.clockFails.set(true);
		await("the error").until(() -> !this.clockFails.get());
		skip(Duration.ofSeconds(11));
		failure(future, StateStoreOutcomeUnknownException.class);
	}

	@Test
	void aBrokerThatDoesNotAcknowledgeLosesTheConnection() throws Exception {
		start(this.broker.options().maxInFlight(1).keepAlive(Duration.ofSeconds(30)).build());
		this.broker.onRequest = (broker, request) -> request.reply("+OK\r\n");
		get(invoke(SET));
		CompletableFuture<Response> waiting = invoke(SET);
		this.broker.onRequest = (broker, request) -> {
			request.ack(0);
			request.reply("+OK\r\n");
		};
		try (CapturedLog log = new CapturedLog()) {
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
	void aBrokerThatAcknowledgesSlowlyKeepsTheConnection() throws Exception {
		start(this.broker.options().keepAlive(Duration.ofMinutes(10)).build());
		hold();
		List<CompletableFuture<Response>> calls = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			calls.add(invoker().invoke(SET, new Options(null, false, Duration.ofHours(10))));
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
	void aBrokerThatIsBusyForSomeSecondsKeepsTheConnectionWhateverTheTimeouts() {
		start(this.broker.options().requestTimeout(Duration.ofMillis(100)).keepAlive(Duration.ZERO).build());
		hold();
		invoke(SET);
		awaitRequest();
		Link link = link();
		skip(Duration.ofSeconds(20));
		checkTwice();
		assertThat(link.lost()).isNotDone();
	}

	// A pause of the process, such as in a debugger: the acknowledgement may be there,
	// unread.
	@Test
	void whatIsOverdueIsLookedForTwice() {
		start(this.broker.options().build());
		Link link = link();
		ManualFlow manual = new ManualFlow();
		manual.flow.open(link, 1);
		FlowControl.Outgoing outgoing = (unused) -> FlowControl.Outcome.SENT;
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
	@PahoOnly
	void aLargeMessageThatIsSentSlowlyKeepsTheConnection() throws Exception {
		start(this.broker.options().keepAlive(Duration.ofSeconds(30)).build());
		Link link = link();
		// More than sockets hold, so that it is not sent without having been read.
		int step = 8 * 1024 * 1024;
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
	@PahoOnly
	void aLargeMessageThatArrivesSlowlyKeepsTheConnection() throws Exception {
		start(this.broker.options().keepAlive(Duration.ofSeconds(30)).build());
		Link link = link();
		hold();
		CompletableFuture<Response> call = invoker().invoke(SET, new Options(null, false, Duration.ofHours(1)));
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

	/** Looks for acknowledgements when told, and at no other time. */
	private static final class ManualFlow {

		private final AtomicLong now = new AtomicLong();

		private final FlowControl flow = new FlowControl(new ScheduledThreadPoolExecutor(1, (worker) -> new Thread()),
				this.now::get, Duration.ofMinutes(1), 1024);

		void check(Duration later) {
			this.now.addAndGet(later.toNanos());
			this.flow.checkAcknowledgments();
		}

	}

	@Test
	void callsBridgeAnInterruptionOfTheConnection() throws Exception {
		assertThat(connection().isConnected()).isTrue();
		this.broker.stop();
		await("the loss").until(() -> !connection().isConnected());
		CompletableFuture<Response> future = invoke(SET);
		this.broker.restart();
		assertThat(get(future).reply()).isEqualTo(new Reply.Ok());
	}

	@Test
	void withoutConnectionACallFailsUnsentAtItsDeadline() {
		assertThat(connection().isConnected()).isTrue();
		this.broker.stop();
		await("the loss").until(() -> !connection().isConnected());
		CompletableFuture<Response> future = invoker().invoke(SET, new Options(null, false, Duration.ofMillis(300)));
		assertThat(failure(future, StateStoreNotSentException.class)).hasMessageContaining("not sent within 0.3 s")
			.hasMessageContaining("No connection to mqtt://127.0.0.1:" + this.broker.port())
			.hasMessageContaining("statestore.host");
	}

	@Test
	void stoppingFailsWhatIsPendingWithTheRightType() {
		this.broker.connAck(MqttPropertyType.RECEIVE_MAXIMUM, 1);
		start(this.broker.options().build());
		hold();
		CompletableFuture<Response> sent = invoke(SET);
		CompletableFuture<Response> waiting = invoke(SET);
		awaitRequest();
		connection().stop();
		failure(sent, StateStoreOutcomeUnknownException.class);
		assertThat(failure(waiting, StateStoreNotSentException.class)).hasMessageContaining("is stopped");
		connection().close();
		assertThat(failure(invoke(SET), StateStoreNotSentException.class)).hasMessageContaining("is closed");
	}

	@Test
	void whatIsSentWhileStoppingNeverCountsAsUnsent() throws Exception {
		this.broker.connAck(MqttPropertyType.RECEIVE_MAXIMUM, 4);
		start(this.broker.options().build());
		for (int round = 0; round < 10; round++) {
			this.broker.requests.clear();
			connection().start();
			Map<String, CompletableFuture<Response>> calls = new LinkedHashMap<>();
			for (int i = 0; i < 2000; i++) {
				Command command = new Command.Del(Bytes.of("key " + round + ' ' + i + '.'));
				calls.put(new String(Commands.encode(command), StandardCharsets.UTF_8), invoke(command));
			}
			int sent = 20 + round * 50;
			await("requests").until(() -> this.broker.requests.size() > sent);
			connection().stop();
			Set<String> arrived = new HashSet<>();
			this.broker.requests.forEach((request) -> arrived.add(request.text()));
			calls.forEach((text, call) -> {
				Throwable failure = call.handle((response, thrown) -> thrown).orTimeout(10, TimeUnit.SECONDS).join();
				assertThat(failure instanceof StateStoreNotSentException && arrived.contains(text)).isFalse();
			});
		}
	}

	@Test
	void callConnectsAgainAfterStop() throws Exception {
		connection().stop();
		assertThat(get(invoke(SET)).reply()).isEqualTo(new Reply.Ok());
		assertThat(connection().isRunning()).isFalse();
	}

	@Test
	void urgentCallDoesNotConnectAgainAfterStop() {
		connection().stop();
		assertThat(failure(invoker().invoke(SET, Options.DEFAULT.asUrgent()), StateStoreNotSentException.class))
			.hasMessageContaining("is stopped");
		assertThat(connection().isInUse()).isFalse();
	}

	@Test
	void observationDoesNotConnectAgainAfterStop() {
		connection().stop();
		failure(invoke(new Command.KeyNotify(Bytes.of("key"))), StateStoreNotSentException.class);
		assertThat(connection().isInUse()).isFalse();
	}

	@Test
	void failsCallAtOnceWhenDisconnected() {
		start(this.broker.options().whenDisconnected(WhenDisconnected.FAIL).build());
		hold();
		CompletableFuture<Response> sent = invoke(GET);
		awaitRequest();
		this.broker.stop();
		await("the loss").until(() -> !connection().isConnected());
		failure(sent, StateStoreOutcomeUnknownException.class);
		assertThat(failure(invoke(SET), StateStoreNotSentException.class)).hasMessageContaining("No connection to");
	}

	@Test
	void failsWaitingCallsWhenConnectionBreaks() {
		this.broker.connAck(MqttPropertyType.RECEIVE_MAXIMUM, 1);
		start(this.broker.options().whenDisconnected(WhenDisconnected.FAIL).build());
		hold();
		invoke(SET);
		CompletableFuture<Response> waiting = invoke(SET);
		awaitRequest();
		this.broker.stop();
		assertThat(failure(waiting, StateStoreNotSentException.class)).hasMessageContaining("No connection to");
	}

	@Test
	void urgentCallWaitsForConnection() throws Exception {
		start(this.broker.options().whenDisconnected(WhenDisconnected.FAIL).build());
		this.broker.stop();
		await("the loss").until(() -> !connection().isConnected());
		CompletableFuture<Response> urgent = invoker().invoke(SET, Options.DEFAULT.asUrgent());
		failure(invoke(SET), StateStoreNotSentException.class);
		assertThat(urgent).isNotDone();
		this.broker.restart();
		assertThat(get(urgent).reply()).isEqualTo(new Reply.Ok());
	}

	@Test
	void failsFirstCallOnlyAfterFirstAttempt() throws Exception {
		this.broker.stop();
		StateStoreConnection unstarted = new StateStoreConnection(
				this.broker.options().clientId("lazy").whenDisconnected(WhenDisconnected.FAIL).build());
		try {
			MqttCommandInvoker lazy = new MqttCommandInvoker(unstarted);
			assertThat(failure(lazy.invoke(SET, Options.DEFAULT), StateStoreNotSentException.class))
				.hasMessageContaining(ConnectionDiagnosis.NOT_LISTENING.cause());
			this.broker.restart();
			await("the connection").until(unstarted::isConnected);
			assertThat(get(lazy.invoke(SET, Options.DEFAULT)).reply()).isEqualTo(new Reply.Ok());
		}
		finally {
			unstarted.close();
		}
	}

	@Test
	void answersRequestsBeforeReconnecting() throws Exception {
		start(this.broker.options().build());
		Queue<FakeBroker.Request> held = new ConcurrentLinkedQueue<>();
		this.broker.onRequest = (broker, request) -> {
			request.ack(0);
			held.add(request);
		};
		CompletableFuture<Response> sent = invoke(SET);
		await("the request").until(() -> held.size() == 1);
		connection().reconnect("test");
		CompletableFuture<Response> later = invoke(SET);
		await("both replies and the new connection").until(() -> {
			FakeBroker.Request request = held.poll();
			if (request != null) {
				request.reply("+OK\r\n");
			}
			return sent.isDone() && later.isDone() && this.broker.connects.size() == 2;
		});
		assertThat(get(sent).reply()).isEqualTo(new Reply.Ok());
		assertThat(get(later).reply()).isEqualTo(new Reply.Ok());
	}

	@Test
	void namesResponseTopicWhenNothingIsEverAnswered() {
		hold();
		CompletableFuture<Response> call = invoke(SET);
		awaitRequest();
		this.broker.requests.element().ack(0);
		skip(Duration.ofSeconds(11));
		assertThat(failure(call, StateStoreOutcomeUnknownException.class)).hasMessageContaining(Topics.response("test"))
			.hasMessageContaining(ConnectionDiagnosis.NO_REPLY_EVER.nextStep());
	}

	@Test
	void firstCallConnects() throws Exception {
		StateStoreConnection unstarted = new StateStoreConnection(this.broker.options().clientId("lazy").build());
		try {
			assertThat(get(new MqttCommandInvoker(unstarted).invoke(SET, Options.DEFAULT)).reply())
				.isEqualTo(new Reply.Ok());
			assertThat(unstarted.isRunning()).isFalse();
		}
		finally {
			unstarted.close();
		}
	}

	// Trap: a blocking call inside a callback never completes.
	@Test
	void aContinuationMayCallAndWait() throws Exception {
		List<CompletableFuture<Response>> futures = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			futures.add(invoke(SET).thenApply((response) -> invoke(GET).join()));
		}
		CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)).get(10, TimeUnit.SECONDS);
		assertThat(this.broker.requests).hasSize(200);
	}

	@Test
	void aContinuationThatBlocksHoldsUpNobody() throws Exception {
		CountDownLatch release = new CountDownLatch(1);
		Runnable answer = holdAnswers();
		List<CompletableFuture<Void>> blocked = new ArrayList<>();
		for (int i = 0; i < ClientResources.REPLY_THREADS - 1; i++) {
			blocked.add(invoke(SET).thenAccept((response) -> {
				try {
					release.await();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			}));
		}
		answer.run();
		assertThat(get(invoke(GET)).reply()).isEqualTo(new Reply.Ok());
		release.countDown();
		CompletableFuture.allOf(blocked.toArray(CompletableFuture[]::new)).get(10, TimeUnit.SECONDS);
	}

	@Test
	void threadsThatWaitDoNotDependOnContinuations() throws Exception {
		StateStoreTemplate template = new StateStoreTemplate(invoker());
		this.broker.onRequest = (broker, request) -> {
			request.ack(0);
			request.reply("$-1\r\n");
		};
		CountDownLatch release = new CountDownLatch(1);
		Runnable answer = holdAnswers();
		for (int i = 0; i < ClientResources.REPLY_THREADS * 2; i++) {
			template.async().get(Key.of("key"), String.class).thenAccept((entry) -> {
				try {
					release.await();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			});
		}
		answer.run();
		try {
			CompletableFuture<?> waiter = CompletableFuture.supplyAsync(() -> template.get(Key.of("key"), String.class),
					(task) -> new Thread(task).start());
			assertThat(waiter.get(5, TimeUnit.SECONDS)).isEqualTo(Optional.empty());
		}
		finally {
			release.countDown();
		}
	}

	/**
	 * Until the result is run: a continuation of a future that is complete already would
	 * run, and block, here.
	 */
	private Runnable holdAnswers() {
		CountDownLatch held = new CountDownLatch(1);
		BiConsumer<FakeBroker, FakeBroker.Request> answer = this.broker.onRequest;
		this.broker.onRequest = (broker, request) -> {
			try {
				held.await(10, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			answer.accept(broker, request);
		};
		return held::countDown;
	}

	@Test
	void anyNumberOfContinuationsMayCallAndWait() throws Exception {
		StateStoreTemplate template = new StateStoreTemplate(invoker());
		this.broker.onRequest = (broker, request) -> {
			request.ack(0);
			request.reply("$-1\r\n");
		};
		List<CompletableFuture<?>> futures = new ArrayList<>();
		for (int i = 0; i < 600; i++) {
			boolean blocking = i % 2 == 0;
			futures.add(template.async()
				.get(Key.of("key"), String.class)
				.thenApply((entry) -> blocking ? template.get(Key.of("key"), String.class)
						: template.async().get(Key.of("key"), String.class).join()));
		}
		CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
	}

	@Test
	void futuresCompleteOnThreadsOfTheirOwn() throws Exception {
		hold();
		CompletableFuture<String> threadOfReply = invoke(SET).thenApply((response) -> Thread.currentThread().getName());
		CompletableFuture<String> threadOfDeadline = invoker()
			.invoke(SET, new Options(null, false, Duration.ofMillis(50)))
			.handle((response, failure) -> Thread.currentThread().getName());
		awaitRequest().reply("+OK\r\n");
		assertThat(threadOfReply.get(10, TimeUnit.SECONDS)).startsWith("statestore-reply");
		assertThat(threadOfDeadline.get(10, TimeUnit.SECONDS)).startsWith("statestore-reply");
	}

	@Test
	void continuationsSeeTheClassLoaderOfTheApplication() throws Exception {
		hold();
		CompletableFuture<ClassLoader> classLoader = invoke(SET)
			.thenApply((response) -> Thread.currentThread().getContextClassLoader());
		awaitRequest().reply("+OK\r\n");
		assertThat(classLoader.get(10, TimeUnit.SECONDS)).isSameAs(MqttCommandInvoker.class.getClassLoader());
	}

	@Test
	void theInterruptFlagOfTheCallerIsKept() throws Exception {
		hold();
		Thread.currentThread().interrupt();
		CompletableFuture<Response> future = invoke(SET);
		assertThat(Thread.interrupted()).isTrue();
		awaitRequest().reply("+OK\r\n");
		assertThat(get(future).reply()).isEqualTo(new Reply.Ok());
	}

	// Trap: Paho uses aliases the server allows by itself, before they are defined.
	@Test
	void noTopicAliasIsEverUsed() throws Exception {
		this.broker.connAck(MqttPropertyType.TOPIC_ALIAS_MAXIMUM, 10);
		start(this.broker.options().build());
		for (int i = 0; i < 3; i++) {
			get(invoke(SET));
		}
		assertThat(this.broker.requests).allSatisfy((request) -> {
			assertThat(request.topic()).isEqualTo(Topics.REQUEST);
			assertThat(request.<Integer>property(MqttPropertyType.TOPIC_ALIAS)).isNull();
		});
	}

	@Test
	void manyThreadsEachGetTheirOwnReply() throws Exception {
		this.broker.onRequest = (broker, request) -> {
			String key = request.text().split("\r\n")[4];
			request.ack(0);
			request.reply("$" + key.length() + "\r\n" + key + "\r\n");
		};
		MqttCommandInvoker invoker = invoker();
		List<Thread> threads = new ArrayList<>();
		AtomicInteger right = new AtomicInteger();
		for (int t = 0; t < 8; t++) {
			String prefix = "t" + t + '-';
			Thread thread = new Thread(() -> {
				for (int i = 0; i < 250; i++) {
					Bytes key = Bytes.of(prefix + i);
					if (new Reply.Value(key)
						.equals(invoker.invoke(new Command.Get(key), Options.DEFAULT).join().reply())) {
						right.incrementAndGet();
					}
				}
			});
			thread.start();
			threads.add(thread);
		}
		for (Thread thread : threads) {
			thread.join(TimeUnit.SECONDS.toMillis(10));
		}
		assertThat(right.get()).isEqualTo(2000);
	}

	@Test
	void dropsUnderLoadLoseNoCall() throws Exception {
		List<CompletableFuture<Response>> futures = new ArrayList<>();
		for (int i = 0; i < 2000; i++) {
			futures.add(invoke((i % 2 == 0) ? SET : GET));
			if (i % 400 == 399) {
				this.broker.drop();
			}
		}
		for (CompletableFuture<Response> future : futures) {
			Throwable failure = future.handle((response, thrown) -> thrown).get(10, TimeUnit.SECONDS);
			if (failure != null) {
				assertThat(failure).isInstanceOf(StateStoreOutcomeUnknownException.class);
			}
		}
		assertThat(invoker().pendingCalls()).isZero();
	}

	private static Command.Set set(int size) {
		return new Command.Set(Bytes.of("key"), Bytes.wrap(new byte[size]));
	}

}
