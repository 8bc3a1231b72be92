package io.statestore.broker.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.broker.server.RecordingConnection.Draft;
import io.statestore.broker.server.RecordingConnection.Received;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Redelivered requests (protocol sections 7.2 and 10). */
@ParameterizedClass
@EnumSource(TestStorage.class)
class RepeatedRequestTests {

	private static final Duration MIN_RETENTION = Duration.ofMinutes(1);

	private static final Duration MAX_RETENTION = Duration.ofMinutes(5);

	private static final Bytes KEY = Bytes.of("k");

	private static final Bytes VALUE = Bytes.of("v");

	private static final Command NX = new Command.Set(KEY, VALUE, Condition.IF_ABSENT, null);

	private static final Command OBSERVE = new Command.KeyNotify(KEY);

	private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000);

	@AutoClose
	private final StateStoreServer server;

	private final RecordingConnection client;

	RepeatedRequestTests(TestStorage storage, @TempDir Path directory) {
		this.server = storage.start(StateStoreServerOptions.defaults().withNanoClock(this.nanos::get), directory);
		this.client = RecordingConnection.to(this.server, "client");
	}

	@Test
	void repeatedRequestReceivesSameReplyWithoutExecution() {
		Received first = send(this.client, "c", NX);
		Received again = send(this.client, "c", NX);
		assertThat(again.reply()).isEqualTo(new Reply.Ok());
		assertThat(again.message().payload()).isEqualTo(first.message().payload());
		assertThat(again.message().userProperties()).isEqualTo(first.message().userProperties());
		assertThat(this.server.statistics().repeatedRequests()).isEqualTo(1);
	}

	@Test
	void repeatsRefusal() {
		send(this.client, "a", NX);
		Received refused = send(this.client, "b", NX);
		assertThat(refused.reply()).isEqualTo(Reply.Count.NOT_APPLIED);
		send(this.client, "c", new Command.Del(KEY));
		Received again = send(this.client, "b", NX);
		assertThat(again.reply()).isEqualTo(Reply.Count.NOT_APPLIED);
		assertThat(again.version()).isEqualTo(refused.version());
		assertThat(send(this.client, "d", new Command.Get(KEY)).reply()).isEqualTo(new Reply.Missing());
	}

	@Test
	void repeatsSumWithoutAddingAgain() {
		Command increment = new Command.Increment(KEY, -1);
		Received first = send(this.client, "a", increment);
		assertThat(first.reply()).isEqualTo(new Reply.Count(-1));
		assertThat(send(this.client, "b", increment).reply()).isEqualTo(new Reply.Count(-2));
		Received again = send(this.client, "a", increment);
		assertThat(again.message().payload()).isEqualTo(first.message().payload());
		assertThat(again.version()).isEqualTo(first.version());
		assertThat(send(this.client, "c", new Command.Get(KEY)).reply()).isEqualTo(new Reply.Value(Bytes.of("-2")));
	}

	@Test
	void repeatsFailure() {
		Draft withoutTimestamp = this.client.draft(NX).correlation("a");
		withoutTimestamp.userProperties = List.of();
		Reply expected = new Reply.Error(ErrorReason.MISSING_TIMESTAMP);
		assertThat(RecordingConnection.received(this.client.exchange(withoutTimestamp)).reply()).isEqualTo(expected);
		assertThat(send(this.client, "a", NX).reply()).isEqualTo(expected);
	}

	@Test
	void remembersRepliesAcrossReconnect() {
		Received first = send(this.client, "c", NX);
		this.server.disconnected(this.client);
		Received again = send(RecordingConnection.to(this.server, "client"), "c", NX);
		assertThat(again.reply()).isEqualTo(new Reply.Ok());
		assertThat(again.version()).isEqualTo(first.version());
	}

	@Test
	void correlationDataFromOtherClientIsDistinct() {
		send(this.client, "c", NX);
		assertThat(send(RecordingConnection.to(this.server, "other"), "c", NX).reply())
			.isEqualTo(Reply.Count.NOT_APPLIED);
	}

	@Test
	void reusedCorrelationDataInOtherCommandIsDistinct() {
		send(this.client, "c", NX);
		assertThat(send(this.client, "c", new Command.Del(KEY)).reply()).isEqualTo(new Reply.Count(1));
		assertThat(send(this.client, "c", new Command.Get(KEY)).reply()).isEqualTo(new Reply.Missing());
	}

	@Test
	void repeatedReadReturnsCurrentValue() {
		send(this.client, "c", new Command.Get(KEY));
		send(this.client, "d", NX);
		assertThat(send(this.client, "c", new Command.Get(KEY)).reply()).isEqualTo(new Reply.Value(VALUE));
	}

	@Test
	void repeatedKeynotifyDoesNotUndoLaterStop() {
		send(this.client, "a", OBSERVE);
		send(this.client, "b", new Command.KeyNotifyStop(KEY));
		assertThat(send(this.client, "a", OBSERVE).reply()).isEqualTo(new Reply.Ok());
		assertThat(send(this.client, "b", new Command.KeyNotifyStop(KEY)).reply()).isEqualTo(new Reply.Ok());
		assertThat(this.client.exchange(this.client.draft(NX))).hasSize(2);
	}

	@Test
	void executesKeynotifyWithReusedCorrelationData() {
		send(this.client, "a", OBSERVE);
		send(this.client, "a", new Command.KeyNotifyStop(KEY));
		send(this.client, "a", OBSERVE);
		assertThat(this.client.exchange(this.client.draft(NX))).hasSize(3);
	}

	@Test
	void repeatedKeynotifyWatchesOnNewConnection() {
		send(this.client, "a", OBSERVE);
		this.server.disconnected(this.client);
		RecordingConnection next = RecordingConnection.to(this.server, "client");
		assertThat(send(next, "a", OBSERVE).reply()).isEqualTo(new Reply.Ok());
		assertThat(next.exchange(next.draft(NX))).hasSize(3);
	}

	@Test
	void forgetsReplyAfterOneMinute() {
		send(this.client, "c", NX);
		pass(MIN_RETENTION);
		assertThat(send(this.client, "c", NX).reply()).isEqualTo(new Reply.Ok());
		pass(Duration.ofMillis(1));
		assertThat(send(this.client, "c", NX).reply()).isEqualTo(Reply.Count.NOT_APPLIED);
	}

	@Test
	void remembersReplyForLongestMessageExpiry() {
		send(this.client, "c", NX, Duration.ofMinutes(3));
		pass(Duration.ofMinutes(3));
		assertThat(send(this.client, "c", NX).reply()).isEqualTo(new Reply.Ok());
	}

	@Test
	void limitsAgeOfRememberedReplies() {
		send(this.client, "c", NX, Duration.ofDays(30));
		pass(MAX_RETENTION.plusMillis(1));
		assertThat(send(this.client, "c", NX).reply()).isEqualTo(Reply.Count.NOT_APPLIED);
	}

	private void pass(Duration time) {
		this.nanos.addAndGet(time.toNanos());
	}

	private static Received send(RecordingConnection connection, String correlationData, Command command) {
		return send(connection, correlationData, command, null);
	}

	private static Received send(RecordingConnection connection, String correlationData, Command command,
			@Nullable Duration messageExpiry) {
		Draft draft = connection.draft(command).correlation(correlationData);
		draft.messageExpiry = messageExpiry;
		return RecordingConnection.received(connection.exchange(draft));
	}

}
