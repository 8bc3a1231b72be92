package io.statestore.broker.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Memory limits for answers, which all clients share. */
class RequestMemoryTests {

	private static final Command.Write COMMAND = new Command.Del(Bytes.of("k"));

	private static final Answer ANSWER = Answer.refused(ErrorReason.SYNTAX_ERROR);

	private static final long MAX_BYTES = 1 << 20;

	private RequestMemory memory = newMemory(MAX_BYTES);

	private long now;

	private static RequestMemory newMemory(long maxBytes) {
		RequestMemory memory = new RequestMemory();
		memory.limit(maxBytes);
		return memory;
	}

	@Test
	void findsAnswerToSameRequestOnly() {
		remember("a", "c");
		assertThat(find("a", "c")).isEqualTo(ANSWER);
		assertThat(find("b", "c")).isNull();
		assertThat(find("a", "d")).isNull();
		assertThat(this.memory.find(Requester.anonymous("a"), Bytes.of("c"), 2, this.now)).isNull();
	}

	@Test
	void findsNoAnswerForOtherPrincipal() {
		Requester ada = new Requester("ada", "a");
		this.memory.remember(write(ada, "c"), ANSWER, this.now);
		assertThat(find(ada, "c")).isEqualTo(ANSWER);
		assertThat(find(new Requester("bob", "a"), "c")).isNull();
		assertThat(find("a", "c")).isNull();
		assertThat(find(new Requester("a", "da"), "c")).isNull();
		remember("a", "c");
		assertThat(this.memory.count()).isEqualTo(2);
		assertThat(this.memory.bytes())
			.isEqualTo(2 * (ClientReplies.CLIENT_COST + ClientReplies.REPLY_COST + 2) + "ada".length());
	}

	@Test
	void retentionFollowsLongestMessageExpiryUpToLimit() {
		remember("a", "short");
		this.now += RequestMemory.MIN_RETENTION.toNanos();
		assertThat(find("a", "short")).isNotNull();
		this.now++;
		assertThat(find("a", "short")).isNull();
		this.memory.remember(write("a", "long", Duration.ofHours(1)), ANSWER, this.now);
		this.now += RequestMemory.MAX_RETENTION.toNanos();
		assertThat(find("a", "long")).isNotNull();
		this.now++;
		assertThat(find("a", "long")).isNull();
	}

	@Test
	void severalBusyClientsShareMemory() {
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
	void lowerLimitRemovesReplies() {
		for (int i = 0; i < 100; i++) {
			remember("a", "c" + i);
		}
		this.memory.limit(MAX_BYTES / 100);
		assertThat(this.memory.bytes()).isPositive().isLessThanOrEqualTo(MAX_BYTES / 100);
		assertThat(find("a", "c0")).isNull();
		assertThat(find("a", "c99")).isNotNull();
		this.memory.limit(0);
		assertThat(this.memory.count()).isZero();
		remember("a", "c");
		assertThat(this.memory.count()).isZero();
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
			this.memory = newMemory(MAX_BYTES);
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
	void collidingCorrelationDataHashesStayFast() {
		this.memory = newMemory(64 << 20);
		for (int i = 0; i < 50_000; i++) {
			remember("a", textOfEqualHash(i));
		}
		assertThat(this.memory.count()).isEqualTo(50_000);
	}

	@Test
	@Timeout(60)
	void collidingClientIdHashesStayFast() {
		this.memory = newMemory(256 << 20);
		for (int i = 0; i < 50_000; i++) {
			remember(textOfEqualHash(i), "c");
		}
		assertThat(this.memory.count()).isEqualTo(50_000);
	}

	@Test
	void correlationDataDoesNotRetainMessage() {
		Bytes message = Bytes.of("..c..");
		this.memory.remember(write("a", message.slice(2, 3), null), ANSWER, 0);
		ClientReplies client = this.memory.clients().iterator().next();
		Bytes kept = client.copy().replies()[0].correlationData();
		assertThat(kept).isEqualTo(Bytes.of("c"));
		assertThat(kept.compact()).isSameAs(kept);
	}

	/** Returns different strings with the same hash value. */
	private static String textOfEqualHash(int number) {
		StringBuilder text = new StringBuilder();
		for (int bit = 0; bit < 16; bit++) {
			text.append(((number >> bit & 1) == 0) ? "Aa" : "BB");
		}
		return text.toString();
	}

	private void remember(String clientId, String correlationData) {
		this.memory.remember(write(clientId, correlationData, null), ANSWER, this.now);
	}

	private @Nullable Answer find(String clientId, String correlationData) {
		return find(Requester.anonymous(clientId), correlationData);
	}

	private @Nullable Answer find(Requester requester, String correlationData) {
		return this.memory.find(requester, Bytes.of(correlationData), 1, this.now);
	}

	private static LogEntry.Write write(Requester requester, String correlationData) {
		return new LogEntry.Write(0, 0, null, COMMAND, null, null, requester, Bytes.of(correlationData), 1, null,
				false);
	}

	private static LogEntry.Write write(String clientId, String correlationData, @Nullable Duration expiry) {
		return write(clientId, Bytes.of(correlationData), expiry);
	}

	private static LogEntry.Write write(String clientId, Bytes correlationData, @Nullable Duration expiry) {
		return new LogEntry.Write(0, 0, null, COMMAND, null, null, clientId, correlationData, 1, expiry, false);
	}

}
