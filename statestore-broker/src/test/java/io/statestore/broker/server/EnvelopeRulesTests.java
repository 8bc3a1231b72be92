package io.statestore.broker.server;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.broker.server.RecordingConnection.Acknowledged;
import io.statestore.broker.server.RecordingConnection.Disconnected;
import io.statestore.broker.server.RecordingConnection.Draft;
import io.statestore.broker.server.RecordingConnection.Received;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.ProtocolDialect;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Topics;
import io.statestore.protocol.UserProperties;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Messages for requests and replies (protocol sections 1 and 10). */
@ParameterizedClass
@EnumSource(TestStorage.class)
class EnvelopeRulesTests {

	private static final Bytes KEY = Bytes.of("k");

	private static final Command SET = new Command.Set(KEY, Bytes.of("v"));

	private static final Command GET = new Command.Get(KEY);

	private final AtomicLong nanos = new AtomicLong();

	@AutoClose
	private final StateStoreServer server;

	private final RecordingConnection client;

	EnvelopeRulesTests(TestStorage storage, @TempDir Path directory) {
		this.server = storage.start(StateStoreServerOptions.defaults().withNanoClock(this.nanos::get), directory);
		this.client = RecordingConnection.to(this.server, "client");
	}

	@Test
	void repliesToResponseTopicWithCorrelationData() {
		Draft draft = this.client.draft(GET);
		draft.responseTopic = "anything/else";
		draft.correlationData = Bytes.ofHex("00FF");
		OutgoingMessage reply = RecordingConnection.received(this.client.exchange(draft)).message();
		assertThat(reply.topic()).isEqualTo("anything/else");
		assertThat(reply.correlationData()).isEqualTo(Bytes.ofHex("00FF"));
	}

	@Test
	void repliesBeforeSuccessfulAcknowledgment() {
		List<Object> events = this.client.exchange(this.client.draft(SET));
		assertThat(events).hasSize(2);
		assertThat(events.get(0)).isInstanceOf(OutgoingMessage.class);
		assertThat(events.get(1)).isEqualTo(new Acknowledged(0x00));
	}

	@Test
	void everyReplyHasStatus200AndProtocolVersion() {
		Draft syntaxError = this.client.draft(GET);
		syntaxError.payload = new byte[0];
		for (Draft draft : List.of(this.client.draft(SET), this.client.draft(GET), syntaxError)) {
			Received received = RecordingConnection.received(this.client.exchange(draft));
			assertThat(received.property(UserProperties.STATUS)).isEqualTo("200");
			assertThat(received.property(UserProperties.PROTOCOL_VERSION)).isEqualTo("1.0");
		}
	}

	@Test
	void sendsUnpaddedVersionIfPresent() {
		Received set = this.client.call(SET);
		assertThat(set.property(UserProperties.TIMESTAMP)).matches("\\d{13}:\\d:StateStore");
		assertThat(this.client.call(GET).version()).isEqualTo(set.version());
		assertThat(this.client.call(new Command.Get(Bytes.of("absent"))).property(UserProperties.TIMESTAMP)).isNull();
		assertThat(this.client.call(new Command.KeyNotify(KEY)).property(UserProperties.TIMESTAMP)).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { Topics.REQUEST, Topics.RESERVED_PREFIX, Topics.RESERVED_PREFIX + "/x",
			Topics.RESERVED_PREFIX + "x", "", "a/+/b", "a/#" })
	void forbiddenResponseTopicEndsConnectionWithoutEffect(String topic) {
		Draft draft = this.client.draft(SET);
		draft.responseTopic = topic;
		assertThat(this.client.exchange(draft)).containsExactly(new Acknowledged(0x90), new Disconnected(0x82));
		assertNoEffect();
	}

	@Test
	void ignoresRequestWithoutResponseTopic() {
		Draft draft = this.client.draft(SET);
		draft.responseTopic = null;
		assertThat(this.client.exchange(draft)).containsExactly(new Acknowledged(0x83));
		assertNoEffect();
	}

	@Test
	void ignoresRequestWithoutCorrelationData() {
		Draft draft = this.client.draft(SET);
		draft.correlationData = null;
		assertThat(this.client.exchange(draft)).containsExactly(new Acknowledged(0x83));
		assertNoEffect();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 2 })
	void requestWithOtherQosHasNoEffectAndKeepsConnection(int qos) {
		Draft draft = this.client.draft(SET);
		draft.qos = qos;
		assertThat(this.client.exchange(draft)).containsExactly(new Acknowledged(0x83));
		assertNoEffect();
	}

	private void assertNoEffect() {
		assertThat(this.server.statistics().invalidRequests()).isEqualTo(1);
		assertThat(this.client.call(GET).reply()).isEqualTo(new Reply.Missing());
		assertThat(this.server.statistics().requests()).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "*0\r\n", "GET k\r\n", "*1\r\n$-1\r\n", "*2\r\n$3\r\nGET\r\n$1\r\nk" })
	void invalidPayloadIsSyntaxErrorAndAcknowledged(String payload) {
		assertThat(replyTo(payload)).isEqualTo(new Reply.Error(ErrorReason.SYNTAX_ERROR));
	}

	@Test
	void invalidCommandsHaveDistinctErrors() {
		assertThat(replyTo("*1\r\n$3\r\nget\r\n")).isEqualTo(new Reply.Error(ErrorReason.UNKNOWN_COMMAND));
		assertThat(replyTo("*1\r\n$3\r\nGET\r\n")).isEqualTo(new Reply.Error(ErrorReason.WRONG_NUMBER_OF_ARGUMENTS));
		assertThat(replyTo("*2\r\n$3\r\nGET\r\n$0\r\n\r\n")).isEqualTo(new Reply.Error(ErrorReason.KEY_LENGTH_ZERO));
	}

	@Test
	void checksSyntaxBeforeTimestamps() {
		Draft draft = this.client.draft(SET);
		draft.userProperties = List.of();
		draft.payload = "*3\r\n$3\r\nSET\r\n$0\r\n\r\n$0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
		assertThat(RecordingConnection.received(this.client.exchange(draft)).reply())
			.isEqualTo(new Reply.Error(ErrorReason.KEY_LENGTH_ZERO));
		draft = this.client.draft(SET);
		draft.userProperties = List.of();
		assertThat(RecordingConnection.received(this.client.exchange(draft)).reply())
			.isEqualTo(new Reply.Error(ErrorReason.MISSING_TIMESTAMP));
	}

	private Reply replyTo(String payload) {
		Draft draft = this.client.draft(GET);
		draft.payload = payload.getBytes(StandardCharsets.US_ASCII);
		return RecordingConnection.received(this.client.exchange(draft)).reply();
	}

	@Test
	void ignoresUnknownPropertiesAndRepeatedTimestamp() {
		Draft draft = this.client.draft(SET);
		draft.userProperties = List.of(new UserProperty("$partition", "x"), new UserProperty("__ts", "1000:0:client"),
				new UserProperty("__ts", "1000:0:client"), new UserProperty("__protVer", "1.7"),
				new UserProperty("aio-persistence", "true"), new UserProperty("__srcId", "somebody"));
		assertThat(RecordingConnection.received(this.client.exchange(draft)).reply()).isEqualTo(new Reply.Ok());
	}

	@Test
	void readsFencingTokenFromProperty() {
		Draft draft = this.client.draft(SET);
		draft.userProperties = List.of(new UserProperty("__ft", "1000:1:a"), new UserProperty("__ts", "1000:0:client"));
		this.client.exchange(draft);
		assertThat(this.client.call(SET).reply()).isEqualTo(new Reply.Error(ErrorReason.FENCING_TOKEN_REQUIRED));
	}

	@Test
	void ignoresRequestThatExpiredInQueue() {
		Draft late = this.client.draft(SET);
		late.messageExpiry = Duration.ofSeconds(2);
		Draft inTime = this.client.draft(new Command.Set(Bytes.of("l"), Bytes.of("v")));
		inTime.messageExpiry = Duration.ofSeconds(3);
		// Time passes while another client is served.
		RecordingConnection slow = new RecordingConnection(this.server, "slow");
		IncomingRequest request = slow.draft(GET).toRequest();
		this.server.request(new IncomingRequest(slow, 1, request.responseTopic(), request.correlationData(), null,
				request.userProperties(), request.payload(), (reasonCode) -> {
					this.server.request(late.toRequest());
					this.server.request(inTime.toRequest());
					this.nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
				}));
		assertThat(this.client.take()).isEqualTo(new Acknowledged(0x83));
		assertThat(this.client.take()).isInstanceOf(OutgoingMessage.class);
		assertThat(this.client.take()).isEqualTo(new Acknowledged(0));
		assertThat(this.client.call(GET).reply()).isEqualTo(new Reply.Missing());
		assertThat(this.server.statistics().expiredRequests()).isEqualTo(1);
	}

	@Test
	void repliesInSpecificationDialectIfConfigured() {
		try (StateStoreServer articles = new StateStoreServer(
				StateStoreServerOptions.defaults().withProtocolDialect(ProtocolDialect.SPECIFICATION))) {
			RecordingConnection client = RecordingConnection.to(articles, "client");
			client.call(SET);
			Received refused = client.call(new Command.Set(KEY, KEY, Command.Condition.IF_ABSENT, null));
			assertThat(new String(refused.message().payload(), StandardCharsets.US_ASCII)).isEqualTo("-1\r\n");
		}
	}

	@Test
	void ignoresRequestsAfterClose() {
		this.server.close();
		this.server.close();
		assertThat(this.client.exchange(this.client.draft(SET))).containsExactly(new Acknowledged(0x83));
		this.server.connected(this.client);
		this.server.disconnected(this.client);
	}

}
