package io.statestore.broker.server;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.WireForm;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RefusalsTests {

	private final StateStoreServer server = new StateStoreServer();

	private final RecordingConnection client = new RecordingConnection(this.server, "client");

	private final Refusals refusals = new Refusals();

	@AfterEach
	void close() {
		this.server.close();
	}

	private Call call(String correlationData, String value) {
		Call call = Call.of(this.client.draft(new Command.Set(Bytes.of("k"), Bytes.of(value)))
			.correlation(correlationData)
			.toRequest(), WireForm.PRACTICE);
		assertThat(call).isNotNull();
		return call;
	}

	@Test
	void findsSameRequestForFiveMinutes() {
		this.refusals.add(call("c", "1"), 0);
		long end = RecentReplies.RETENTION.toNanos();
		assertThat(this.refusals.contains(call("c", "1"), end)).isTrue();
		assertThat(this.refusals.contains(call("c", "2"), end)).isFalse();
		assertThat(this.refusals.contains(call("d", "1"), end)).isFalse();
		assertThat(this.refusals.contains(call("c", "1"), end + 1)).isFalse();
	}

	@Test
	void findsNoRefusalOfOtherPrincipal() {
		this.refusals.add(call("c", "1"), 0);
		RecordingConnection other = RecordingConnection.to(this.server, this.client.clientId(), "ada");
		Call call = Call.of(other.draft(new Command.Set(Bytes.of("k"), Bytes.of("1"))).correlation("c").toRequest(),
				WireForm.PRACTICE);
		assertThat(call).isNotNull();
		assertThat(this.refusals.contains(call, 0)).isFalse();
		this.refusals.add(call, 0);
		assertThat(this.refusals.contains(call, 0)).isTrue();
	}

	@Test
	void remembersRepeatedRefusalForFiveMinutesMore() {
		long later = RecentReplies.RETENTION.toNanos() + 1;
		this.refusals.add(call("c", "1"), 0);
		this.refusals.add(call("c", "1"), later);
		this.refusals.add(call("d", "1"), later);
		assertThat(this.refusals.contains(call("c", "1"), later + 1)).isTrue();
	}

	@Test
	void forgetsOldestBeyondMemory() {
		int count = 10;
		String padding = "c".repeat(Refusals.MAX_BYTES / count);
		for (int i = 0; i < count; i++) {
			this.refusals.add(call(i + padding, "1"), i);
		}
		assertThat(this.refusals.contains(call("0" + padding, "1"), count)).isFalse();
		assertThat(this.refusals.contains(call("1" + padding, "1"), count)).isTrue();
		assertThat(this.refusals.contains(call("9" + padding, "1"), count)).isTrue();
	}

}
