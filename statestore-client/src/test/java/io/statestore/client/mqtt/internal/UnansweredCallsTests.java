package io.statestore.client.mqtt.internal;

import java.time.Duration;

import io.statestore.client.mqtt.internal.FlowControl.Outgoing;
import io.statestore.client.mqtt.internal.Link.Submission;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class UnansweredCallsTests {

	private long now;

	private final UnansweredCalls calls = new UnansweredCalls(() -> this.now, 100);

	@Test
	void limitsNumberOfOrdinaryCalls() {
		for (int i = 0; i < 100; i++) {
			assertThat(this.calls.hasRoomFor(new Sent(false))).isTrue();
			this.calls.add(new Sent(false));
		}
		assertThat(this.calls.hasRoomFor(new Sent(false))).isFalse();
	}

	@Test
	void sendsFewerCallsToSlowStoreAfterUrgentCall() {
		for (int i = 0; i < UnansweredCalls.MIN_ORDINARY; i++) {
			this.calls.add(new Sent(false));
		}
		this.now = Duration.ofMillis(101).toNanos();
		assertThat(this.calls.hasRoomFor(new Sent(false))).isTrue();
		Sent urgent = new Sent(true);
		this.calls.add(urgent);
		this.calls.remove(urgent);
		assertThat(this.calls.hasRoomFor(new Sent(false))).isFalse();
		this.now = Duration.ofMinutes(2).toNanos();
		assertThat(this.calls.hasRoomFor(new Sent(false))).isTrue();
	}

	@Test
	void isEmptyWithoutCalls() {
		Sent ordinary = new Sent(false);
		this.calls.add(ordinary);
		assertThat(this.calls.isEmpty()).isFalse();
		assertThat(this.calls.remove(ordinary)).isTrue();
		assertThat(this.calls.remove(ordinary)).isFalse();
		assertThat(this.calls.isEmpty()).isTrue();
	}

	private static final class Sent implements Outgoing {

		private final boolean urgent;

		Sent(boolean urgent) {
			this.urgent = urgent;
		}

		@Override
		public Submission send(Link link) {
			return Submission.ACCEPTED;
		}

		@Override
		public boolean isUrgent() {
			return this.urgent;
		}

	}

}
