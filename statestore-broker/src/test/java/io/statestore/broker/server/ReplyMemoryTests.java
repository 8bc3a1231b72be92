package io.statestore.broker.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.statestore.broker.engine.Answer;
import io.statestore.broker.server.RecordingConnection.Received;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** The memory of replies, shared by all clients. */
class ReplyMemoryTests {

	private static final Bytes VALUE = Bytes.of("v");

	private static final Command ONCE = new Command.Set(Bytes.of("once"), VALUE, Condition.IF_ABSENT, null);

	private static final Command OFTEN = new Command.Set(Bytes.of("often"), VALUE, Condition.ALWAYS, null);

	private static final Answer ANSWER = Answer.refused(ErrorReason.SYNTAX_ERROR);

	private static final long MAX_BYTES = 1 << 20;

	private final StateStoreServer server = new StateStoreServer(
			StateStoreServerOptions.defaults().withNanoClock(() -> 0).withReplyMemory(32 << 20));

	private RequestMemory memory = new RequestMemory(MAX_BYTES);

	private long now;

	@AfterEach
	void close() {
		this.server.close();
	}

	@Test
	@Timeout(120)
	void busyClientDoesNotEvictRepliesOfOtherClient() {
		RecordingConnection quiet = RecordingConnection.to(this.server, "quiet");
		Received first = RecordingConnection.received(quiet.exchange(quiet.draft(ONCE).correlation("c")));
		RecordingConnection busy = RecordingConnection.to(this.server, "busy");
		for (int i = 0; i < 1_000_000; i++) {
			busy.call(OFTEN);
		}
		assertThat(this.server.statistics().evictedReplies()).isPositive();
		Received repeated = RecordingConnection.received(quiet.exchange(quiet.draft(ONCE).correlation("c")));
		assertThat(repeated.reply()).isEqualTo(new Reply.Ok());
		assertThat(repeated.version()).isEqualTo(first.version());
		assertThat(this.server.statistics().repeatedRequests()).isEqualTo(1);
	}

	@Test
	void severalBusyClientsShareTheMemory() {
		remember("quiet", "c");
		for (int i = 0; i < 100_000; i++) {
			remember("busy-" + i % 8, "c" + i);
		}
		assertThat(find("quiet", "c")).isNotNull();
		for (int i = 99_000; i < 100_000; i++) {
			assertThat(find("busy-" + i % 8, "c" + i)).isNotNull();
		}
		assertThat(find("busy-0", "c0")).isNull();
	}

	@Test
	void limitCountsLongCorrelationDataAndClientIds() {
		String large = "x".repeat(60_000);
		for (int i = 0; i < 100; i++) {
			remember("a", large + i);
			remember(large + i, "c");
			assertThat(this.memory.bytes()).isLessThanOrEqualTo(MAX_BYTES);
		}
		assertThat(this.memory.count()).isBetween(12L, 17L);
		assertThat(this.memory.evicted()).isEqualTo(200 - this.memory.count());
	}

	@Test
	void countsNothingOnceAllRepliesAreOutdated() {
		for (int i = 0; i < 1_000; i++) {
			remember("client-" + i % 100, "c" + i);
		}
		this.now += RequestMemory.MIN_RETENTION.toNanos() + 1;
		remember("last", "c");
		assertThat(this.memory.count()).isEqualTo(1);
		assertThat(this.memory.bytes()).isEqualTo(ClientReplies.CLIENT_COST + 4 + ClientReplies.REPLY_COST + 1);
		assertThat(this.memory.evicted()).isZero();
	}

	@Test
	void replacesReplyToReusedCorrelationData() {
		for (int i = 0; i < 100; i++) {
			remember("a", "c");
		}
		assertThat(this.memory.count()).isEqualTo(1);
		assertThat(this.memory.bytes()).isEqualTo(ClientReplies.CLIENT_COST + 1 + ClientReplies.REPLY_COST + 1);
	}

	@Test
	void sameRequestsLeadToSameContent() {
		List<List<Boolean>> contents = new ArrayList<>();
		for (int run = 0; run < 2; run++) {
			this.memory = new RequestMemory(MAX_BYTES);
			Random random = new Random(1);
			for (int i = 0; i < 20_000; i++) {
				this.now = i * 1_000_000L;
				remember("client-" + random.nextInt(1 + random.nextInt(200)), "c" + random.nextInt(1_000));
			}
			List<Boolean> content = new ArrayList<>();
			for (int client = 0; client < 200; client++) {
				for (int i = 0; i < 1_000; i++) {
					content.add(find("client-" + client, "c" + i) != null);
				}
			}
			contents.add(content);
		}
		assertThat(contents.get(0)).contains(true, false);
		assertThat(contents.get(0).equals(contents.get(1))).isTrue();
	}

	@Test
	@Timeout(60)
	void equalHashesOfCorrelationDataStayFast() {
		this.memory = new RequestMemory(64 << 20);
		for (int i = 0; i < 50_000; i++) {
			StringBuilder correlationData = new StringBuilder();
			for (int bit = 0; bit < 16; bit++) {
				correlationData.append(((i >> bit & 1) == 0) ? "Aa" : "BB");
			}
			remember("a", correlationData.toString());
		}
		assertThat(this.memory.count()).isEqualTo(50_000);
	}

	private void remember(String clientId, String correlationData) {
		this.memory.remember(call(clientId, correlationData), RequestMemory.ANY_CONNECTION, ANSWER, this.now);
	}

	private @Nullable Answer find(String clientId, String correlationData) {
		return this.memory.find(call(clientId, correlationData), RequestMemory.ANY_CONNECTION, this.now);
	}

	private Call call(String clientId, String correlationData) {
		RecordingConnection client = new RecordingConnection(this.server, clientId);
		Call call = Call.of(client.draft(ONCE).correlation(correlationData).toRequest());
		assertThat(call).isNotNull();
		return call;
	}

}
