package io.statestore.broker.server;

import io.statestore.broker.engine.Answer;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.ProtocolDialect;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RecentRepliesTests {

	@AutoClose
	private final StateStoreServer server = new StateStoreServer();

	private final RecordingConnection client = new RecordingConnection(this.server, "client");

	private static final int MAX_BYTES = 100_000;

	private static final Answer ANSWER = Answer.refused(ErrorReason.QUOTA_EXCEEDED);

	private final RecentReplies replies = new RecentReplies(MAX_BYTES);

	private Call call(String correlationData, String value) {
		Call call = Call.of(this.client.draft(new Command.Set(Bytes.of("k"), Bytes.of(value)))
			.correlation(correlationData)
			.toRequest(), ProtocolDialect.CLIENTS);
		assertThat(call).isNotNull();
		return call;
	}

	@Test
	void findsSameRequestForFiveMinutes() {
		this.replies.add(call("c", "1"), ANSWER, 0);
		long end = RecentReplies.RETENTION.toNanos();
		assertThat(this.replies.find(call("c", "1"), end)).isEqualTo(ANSWER);
		assertThat(this.replies.find(call("c", "2"), end)).isNull();
		assertThat(this.replies.find(call("d", "1"), end)).isNull();
		assertThat(this.replies.find(call("c", "1"), end + 1)).isNull();
	}

	@Test
	void findsNoReplyToOtherPrincipal() {
		this.replies.add(call("c", "1"), ANSWER, 0);
		RecordingConnection other = RecordingConnection.to(this.server, this.client.clientId(), "ada");
		Call call = Call.of(other.draft(new Command.Set(Bytes.of("k"), Bytes.of("1"))).correlation("c").toRequest(),
				ProtocolDialect.CLIENTS);
		assertThat(call).isNotNull();
		assertThat(this.replies.find(call, 0)).isNull();
		this.replies.add(call, ANSWER, 0);
		assertThat(this.replies.find(call, 0)).isEqualTo(ANSWER);
	}

	@Test
	void remembersRepeatedReplyForFiveMinutesMore() {
		long later = RecentReplies.RETENTION.toNanos() + 1;
		this.replies.add(call("c", "1"), ANSWER, 0);
		this.replies.add(call("c", "1"), ANSWER, later);
		this.replies.add(call("d", "1"), ANSWER, later);
		assertThat(this.replies.find(call("c", "1"), later + 1)).isEqualTo(ANSWER);
	}

	@Test
	void forgetsOldestRepliesBeyondMemory() {
		int count = 10;
		String padding = "c".repeat(MAX_BYTES / count);
		for (int i = 0; i < count; i++) {
			this.replies.add(call(i + padding, "1"), ANSWER, i);
		}
		assertThat(this.replies.find(call("0" + padding, "1"), count)).isNull();
		assertThat(this.replies.find(call("1" + padding, "1"), count)).isEqualTo(ANSWER);
		assertThat(this.replies.find(call("9" + padding, "1"), count)).isEqualTo(ANSWER);
	}

}
