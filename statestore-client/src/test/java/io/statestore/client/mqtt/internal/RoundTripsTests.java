package io.statestore.client.mqtt.internal;

import java.time.Duration;

import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.mqtt.ConnectionStatus.RoundTrip;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RoundTripsTests extends CallsFixture {

	private long now;

	private final RoundTrips roundTrips = new RoundTrips(() -> this.now, () -> 10_000 + this.now / 1_000_000);

	@Test
	void reportsLatestRoundTrip() {
		assertThat(this.roundTrips.latest()).isEmpty();
		this.now = Duration.ofMillis(30).toNanos();
		this.roundTrips.replied(0);
		this.now = Duration.ofMillis(100).toNanos();
		assertThat(this.roundTrips.latest()).contains(new RoundTrip(Duration.ofMillis(70), Duration.ofMillis(30)));
	}

	@Test
	void measuresClockOfStoreAtHalfOfRoundTrip() {
		this.now = Duration.ofMillis(40).toNanos();
		read(Command.Set.class, new Reply.Ok(), 10_520);
		assertThat(this.roundTrips.clockOffset()).contains(Duration.ofMillis(500));
		read(Command.Set.class, new Reply.Ok(), 9_920);
		assertThat(this.roundTrips.clockOffset()).contains(Duration.ofMillis(-100));
	}

	@Test
	void ignoresVersionsOfEarlierWrites() {
		read(Command.Get.class, new Reply.Value(Bytes.of("value")), 1);
		read(Command.Set.class, new Reply.Missing(), 1);
		assertThat(this.roundTrips.clockOffset()).isEmpty();
	}

	@Test
	void invokerRecordsReplies() throws Exception {
		assertThat(calls().lastRoundTrip()).isEmpty();
		this.broker.onRequest = (broker, request) -> {
			request.ack(0);
			skip(Duration.ofSeconds(1));
			request.reply("+OK\r\n", "__ts", System.currentTimeMillis() + 60_000 + ":0:StateStore");
		};
		get(invoke(SET));
		assertThat(calls().lastRoundTrip()).hasValueSatisfying(
				(latest) -> assertThat(latest.duration()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(9)));
		assertThat(calls().clockOffset()).hasValueSatisfying(
				(offset) -> assertThat(offset).isBetween(Duration.ofSeconds(52), Duration.ofSeconds(61)));
	}

	private void read(Class<? extends Command> type, Reply reply, long wallMillis) {
		this.roundTrips.read(type, new Response(reply, new Version(wallMillis, 0, "StateStore")),
				this.roundTrips.replied(0));
	}

}
