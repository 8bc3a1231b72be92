package io.statestore.broker.gateway;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.statestore.broker.gateway.GatewayStatus.Contents;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.OutgoingMessage.Kind;
import io.statestore.broker.server.UserProperty;
import io.statestore.protocol.HybridLogicalClock;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class GatewayStatusTests {

	private final List<Contents> written = new ArrayList<>();

	private GatewayStatus status = status(Contents.NONE);

	private long now;

	private GatewayStatus status(Contents contents) {
		return new GatewayStatus(contents, () -> this.now, (payload) -> this.written.add(Contents.decode(payload)));
	}

	private void send(long wallMillis, int counter) {
		this.status
			.sending(new OutgoingMessage(Kind.REPLY, "t", new byte[0], null, List.of(new UserProperty("__stat", "200"),
					new UserProperty("__ts", wallMillis + ":" + counter + ":StateStore"))));
	}

	@Test
	void reservesVersionsBeforeTheyAreSent() {
		long reserve = GatewayStatus.RESERVE_MILLIS;
		this.now = 1_000;
		send(1_000, 0);
		send(1_000 + reserve - 1, 99);
		assertThat(this.written).containsExactly(new Contents(1_000 + reserve, 0));
		this.now = 1_000 + reserve;
		send(1_000 + reserve, 0);
		assertThat(this.written).hasSize(2).endsWith(new Contents(1_000 + 2 * reserve, 0));
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, 60_000 })
	void staysBelowMaximumLeadOverFiftyRestarts(long lead) {
		this.now = 1_000_000;
		Version last = new Version(this.now + lead, 0, "StateStore");
		send(last.wallMillis(), last.counter());
		for (int restart = 0; restart < 50; restart++) {
			Contents retained = this.written.get(this.written.size() - 1);
			assertThat(retained.versions() - this.now).isLessThanOrEqualTo(GatewayStatus.MAX_LEAD_MILLIS);
			this.status = status(retained);
			HybridLogicalClock clock = new HybridLogicalClock(new Version(retained.versions(), 0, "StateStore"),
					() -> this.now);
			Version first = clock.tick();
			assertThat(first).isGreaterThan(last);
			send(first.wallMillis(), first.counter());
			last = clock.tick();
			send(last.wallMillis(), last.counter());
		}
	}

	@Test
	void ignoresMessagesWithoutVersion() {
		this.status.sending(new OutgoingMessage(Kind.REPLY, "t", new byte[0], null, List.of()));
		assertThat(this.written).isEmpty();
	}

	@Test
	void announcesGroupsBeforeTheirFirstPage() {
		this.status.writing(0);
		this.status.writing(GatewayTopics.PAGES_PER_GROUP - 1);
		this.status.writing(GatewayTopics.PAGES_PER_GROUP);
		this.status.writing(3);
		assertThat(this.written).containsExactly(new Contents(0, 1), new Contents(0, 2));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "v1", "v2\nversions=1\ngroups=1\n", "v1\nversions=-1\ngroups=1\n",
			"v1\nversions=1\ngroups=201\n", "v1\nversions=1000000000000000\ngroups=1\n" })
	void refusesMalformedContent(String text) {
		assertThat(Contents.decode(text.getBytes(StandardCharsets.UTF_8))).isNull();
	}

}
